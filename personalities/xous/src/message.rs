//! Messages, as a client writes them and a server reads them.

use crate::{MemoryAddress, MemoryRange, MemorySize};

/// What a message is about: a number that client and server agree on.
pub type MessageId = usize;

/// A message of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarMessage {
    /// What it is about.
    pub id: MessageId,
    /// First argument.
    pub arg1: usize,
    /// Second argument.
    pub arg2: usize,
    /// Third argument.
    pub arg3: usize,
    /// Fourth argument.
    pub arg4: usize,
}

impl ScalarMessage {
    /// The five words in which it travels.
    #[inline(always)]
    pub(crate) const fn words(&self) -> [u32; 5] {
        [
            self.id as u32,
            self.arg1 as u32,
            self.arg2 as u32,
            self.arg3 as u32,
            self.arg4 as u32,
        ]
    }

    #[inline(always)]
    pub(crate) fn from_words(words: [u32; 5]) -> ScalarMessage {
        let [id, arg1, arg2, arg3, arg4] = words.map(|word| word as usize);
        ScalarMessage {
            id,
            arg1,
            arg2,
            arg3,
            arg4,
        }
    }
}

/// A message of memory. Dropping one that was received gives lent memory back to its client, with
/// `offset` and `valid`, and moved memory to where it came from.
#[derive(Debug)]
pub struct MemoryMessage {
    /// What it is about.
    pub id: MessageId,
    /// The memory, where this process sees it.
    pub buf: MemoryRange,
    /// A word for the application, by custom where the data begins; nobody checks it.
    pub offset: Option<MemoryAddress>,
    /// A word for the application, by custom how many bytes count; nobody checks it.
    pub valid: Option<MemorySize>,
}

impl MemoryMessage {
    /// `offset` and `valid`, as they travel.
    #[inline(always)]
    pub(crate) fn words(&self) -> [u32; 2] {
        [self.offset, self.valid].map(|word| word.map_or(0, |word| word.get() as u32))
    }
}

impl Drop for MemoryMessage {
    #[inline(always)]
    fn drop(&mut self) {
        if self.buf.is_lent() {
            give_back(self);
        }
    }
}

#[cold]
#[inline(never)]
fn give_back(message: &mut MemoryMessage) {
    let words = message.words();
    // A client that has left does not miss it.
    let _ = message.buf.give_back(words);
}

/// A message.
#[derive(Debug)]
pub enum Message {
    /// Memory that the server may write until it answers.
    MutableBorrow(MemoryMessage),
    /// Memory that the server may read until it answers.
    Borrow(MemoryMessage),
    /// Memory that becomes the server's. Nobody waits for an answer.
    Move(MemoryMessage),
    /// Words. Nobody waits for an answer.
    Scalar(ScalarMessage),
    /// Words. The client waits for an answer of up to five words.
    BlockingScalar(ScalarMessage),
}

impl Message {
    /// Words, without waiting for an answer.
    #[inline(always)]
    #[must_use]
    pub fn new_scalar(id: usize, arg1: usize, arg2: usize, arg3: usize, arg4: usize) -> Message {
        Message::Scalar(ScalarMessage {
            id,
            arg1,
            arg2,
            arg3,
            arg4,
        })
    }

    /// Words, to be answered with words.
    #[inline(always)]
    #[must_use]
    pub fn new_blocking_scalar(
        id: usize,
        arg1: usize,
        arg2: usize,
        arg3: usize,
        arg4: usize,
    ) -> Message {
        Message::BlockingScalar(ScalarMessage {
            id,
            arg1,
            arg2,
            arg3,
            arg4,
        })
    }

    /// Memory, to be read by the server until it answers.
    #[inline(always)]
    #[must_use]
    pub fn new_lend(
        id: usize,
        buf: MemoryRange,
        offset: Option<MemoryAddress>,
        valid: Option<MemorySize>,
    ) -> Message {
        Message::Borrow(MemoryMessage {
            id,
            buf,
            offset,
            valid,
        })
    }

    /// Memory, to be read and written by the server until it answers.
    #[inline(always)]
    #[must_use]
    pub fn new_lend_mut(
        id: usize,
        buf: MemoryRange,
        offset: Option<MemoryAddress>,
        valid: Option<MemorySize>,
    ) -> Message {
        Message::MutableBorrow(MemoryMessage {
            id,
            buf,
            offset,
            valid,
        })
    }

    /// Memory that becomes the server's.
    #[inline(always)]
    #[must_use]
    pub fn new_move(
        id: usize,
        buf: MemoryRange,
        offset: Option<MemoryAddress>,
        valid: Option<MemorySize>,
    ) -> Message {
        Message::Move(MemoryMessage {
            id,
            buf,
            offset,
            valid,
        })
    }

    /// Whether its sender waits for an answer.
    #[inline(always)]
    #[must_use]
    pub fn is_blocking(&self) -> bool {
        !matches!(self, Message::Move(_) | Message::Scalar(_))
    }

    /// Whether it carries memory.
    #[inline(always)]
    #[must_use]
    pub fn has_memory(&self) -> bool {
        self.memory_message().is_some()
    }

    /// The memory that it carries.
    #[must_use]
    pub fn memory(&self) -> Option<&MemoryRange> {
        self.memory_message().map(|message| &message.buf)
    }

    /// The message, if it carries memory.
    #[inline(always)]
    #[must_use]
    pub fn memory_message(&self) -> Option<&MemoryMessage> {
        match self {
            Message::MutableBorrow(memory) | Message::Borrow(memory) | Message::Move(memory) => {
                Some(memory)
            }
            Message::Scalar(_) | Message::BlockingScalar(_) => None,
        }
    }

    /// The message, if it carries memory that may be written.
    #[inline(always)]
    pub fn memory_message_mut(&mut self) -> Option<&mut MemoryMessage> {
        match self {
            Message::MutableBorrow(memory) | Message::Move(memory) => Some(memory),
            Message::Borrow(_) | Message::Scalar(_) | Message::BlockingScalar(_) => None,
        }
    }

    /// The message, if it is one of words.
    #[inline(always)]
    #[must_use]
    pub fn scalar_message(&self) -> Option<&ScalarMessage> {
        match self {
            Message::Scalar(scalar) | Message::BlockingScalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The message, if it is one of words; what stands in it when the server's loop goes on is the
    /// answer ([`crate::reply_and_receive_next_legacy`]).
    #[inline(always)]
    pub fn scalar_message_mut(&mut self) -> Option<&mut ScalarMessage> {
        match self {
            Message::Scalar(scalar) | Message::BlockingScalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// What it is about.
    #[inline(always)]
    #[must_use]
    pub fn id(&self) -> MessageId {
        match self {
            Message::MutableBorrow(memory) | Message::Borrow(memory) | Message::Move(memory) => {
                memory.id
            }
            Message::Scalar(scalar) | Message::BlockingScalar(scalar) => scalar.id,
        }
    }

    /// Makes it one about something else.
    pub fn set_id(&mut self, id: MessageId) {
        match self {
            Message::MutableBorrow(memory) | Message::Borrow(memory) | Message::Move(memory) => {
                memory.id = id;
            }
            Message::Scalar(scalar) | Message::BlockingScalar(scalar) => scalar.id = id,
        }
    }
}
