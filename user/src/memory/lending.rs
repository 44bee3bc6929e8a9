//! The client's side of memory messages.

use core::fmt;
use core::hint::cold_path;

use riposte_abi::call::operation;
use riposte_abi::{Error, MESSAGE_BYTES, info, register};
use zerocopy::{FromBytes, IntoBytes};

use super::copy::{self, Header, Kind};
use super::moved::Give;
use crate::trap::Range;
use crate::{Connection, Deadline, Part, PartMut, Reply, Status, WordsReply};

/// What came back for a message that carried memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryReply {
    /// What the server says.
    pub status: Status,
    /// The reply's words; zero where the server sent nothing.
    pub words: [u32; 5],
    /// Bytes of the reply that are in `words`.
    pub len: usize,
    /// Bytes that the server offered, for words.
    pub offered: usize,
    /// Bytes that were copied, if the hardware could not open the memory to the server: fewer than
    /// the memory has if the server's buffer was too short for them.
    pub copied: Option<usize>,
}

/// Memory could not be given away.
#[derive(Debug)]
pub struct GiveError<M> {
    /// Why not.
    pub error: Error,
    /// The memory; none if the server had received it when the error came. (Where the hardware cannot open it, the server
    /// gets a copy: the memory comes back then, also if the server had received that, and may act on it.)
    /// [Pages](crate::Pages) that come back from a server that died are cleared.
    pub memory: Option<M>,
}

/// A message that was to move memory has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NotMoved {
    error: Error,
    /// Whether the server had received the memory.
    is_gone: bool,
}

impl NotMoved {
    const CANNOT: NotMoved = NotMoved {
        error: Error::CannotLend,
        is_gone: false,
    };
}

impl<M> fmt::Display for GiveError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memory was not given: {}", self.error)
    }
}

impl<M: fmt::Debug> core::error::Error for GiveError<M> {}

impl MemoryReply {
    #[inline(always)]
    fn new(reply: WordsReply, copied: Option<usize>) -> MemoryReply {
        let WordsReply {
            status,
            words,
            len,
            offered,
        } = reply;
        MemoryReply {
            status,
            words,
            len,
            offered,
            copied,
        }
    }
}

impl Connection {
    /// Lends `memory` for reading, with three words, until the server answers with words. Blocks.
    ///
    /// No byte is copied if the server has a free window that takes the memory, and the memory is
    /// what the hardware can open: [`crate::Pages`] are. Otherwise the server gets a copy, and the
    /// reply says so.
    ///
    /// # Errors
    /// [`Error::ServerDied`] if the server dies or is dead; [`Error::Deadlock`] if the server
    /// waits for this thread; [`Error::Interrupted`] if a signal was handled before it had received the memory, or, of a
    /// copy and a channel that does not ask for `unblock` notices, before it had answered.
    #[inline(always)]
    pub fn lend(&self, memory: &[u8], words: [u32; 3]) -> Result<MemoryReply, Error> {
        self.lend_until(memory, words, Deadline::None)
    }

    /// As [`Connection::lend`], until `deadline`. It ends the wait for a server that has not received
    /// the memory; one that has is told that the client wants it back. One that has received a copy is not waited for,
    /// as with [`Connection::send`](Connection::send_until).
    ///
    /// # Errors
    /// [`Error::TimedOut`] at the deadline; [`Error::WouldBlock`] if no server waits and it was
    /// [`Deadline::Immediate`]; else as [`Connection::lend`].
    #[inline(always)]
    pub fn lend_until(
        &self,
        memory: &[u8],
        words: [u32; 3],
        deadline: impl Into<Deadline>,
    ) -> Result<MemoryReply, Error> {
        let deadline = deadline.into();
        match self.carry(operation::LEND, Range::of(memory), words, deadline) {
            Err(Error::CannotLend) => self.send_copy(Kind::Lent, memory, words, deadline),
            other => other,
        }
    }

    /// Lends `memory` for reading and writing, with three words, until the server answers with words.
    /// Blocks. What the server wrote is then there.
    ///
    /// See [`Connection::lend`] for when the server gets a copy, whose bytes then travel back with
    /// the answer.
    ///
    /// # Errors
    /// As [`Connection::lend`].
    #[inline(always)]
    pub fn lend_mut(&self, memory: &mut [u8], words: [u32; 3]) -> Result<MemoryReply, Error> {
        self.lend_mut_until(memory, words, Deadline::None)
    }

    /// As [`Connection::lend_mut`], until `deadline`; see [`Connection::lend_until`].
    ///
    /// # Errors
    /// As [`Connection::lend_until`].
    #[inline(always)]
    pub fn lend_mut_until(
        &self,
        memory: &mut [u8],
        words: [u32; 3],
        deadline: impl Into<Deadline>,
    ) -> Result<MemoryReply, Error> {
        let deadline = deadline.into();
        match self.carry(operation::LEND_MUT, Range::of_mut(memory), words, deadline) {
            Err(Error::CannotLend) => self.exchange_copy(memory, words, deadline),
            other => other,
        }
    }

    /// Gives the server memory for its own, with three words, and waits until it answers with words.
    /// Blocks.
    ///
    /// If the hardware can't move it, the server gets a copy and this process's memory is freed: the
    /// reply says so.
    ///
    /// # Errors
    /// [`GiveError`] with the memory, if it is still there; the error is as for
    /// [`Connection::lend`].
    #[inline(always)]
    pub fn give<M: Give>(&self, memory: M, words: [u32; 3]) -> Result<MemoryReply, GiveError<M>> {
        self.give_until(memory, words, Deadline::None)
    }

    /// As [`Connection::give`], until `deadline`; see [`Connection::lend_until`].
    ///
    /// # Errors
    /// [`GiveError`] with the memory, if it is still there; the error is as for
    /// [`Connection::lend_until`].
    pub fn give_until<M: Give>(
        &self,
        memory: M,
        words: [u32; 3],
        deadline: impl Into<Deadline>,
    ) -> Result<MemoryReply, GiveError<M>> {
        let deadline = deadline.into();
        let range = Range::of(memory.bytes());
        let carry = || match memory.can_be_moved() {
            true => self.carry_any(operation::MOVE, range, words, deadline),
            false => Err(NotMoved::CANNOT),
        };
        let mut result = carry();
        if result == Err(NotMoved::CANNOT) && M::make_room() {
            result = carry();
        }
        match result {
            Ok(reply) => {
                memory.given();
                Ok(reply)
            }
            Err(NotMoved::CANNOT) => self
                .send_copy(Kind::Moved, memory.bytes(), words, deadline)
                .map_err(|error| GiveError {
                    error,
                    memory: Some(memory),
                }),
            Err(NotMoved { error, is_gone }) => Err(GiveError {
                error,
                memory: memory.kept(is_gone),
            }),
        }
    }

    /// Sends a message that opens `memory` to the server.
    #[inline(always)]
    fn carry(
        &self,
        operation: u32,
        memory: Range,
        words: [u32; 3],
        deadline: Deadline,
    ) -> Result<MemoryReply, Error> {
        let carried = self.carry_any(operation, memory, words, deadline);
        carried.map_err(|it| it.error)
    }

    /// As [`Connection::carry`], or one that moves it: then an error says whether it is gone.
    #[inline(always)]
    fn carry_any(
        &self,
        operation: u32,
        memory: Range,
        [a, b, c]: [u32; 3],
        deadline: Deadline,
    ) -> Result<MemoryReply, NotMoved> {
        if memory.length == 0 {
            cold_path();
            return Err(NotMoved::CANNOT);
        }
        let words = [memory.address, memory.length, a, b, c];
        let out = self.exchange_words(operation, words, deadline);
        match WordsReply::decode(&out) {
            Ok(reply) => Ok(MemoryReply::new(reply, None)),
            Err(error) => Err(NotMoved {
                error,
                is_gone: out[register::INFO] & info::LENGTH_MASK == info::MOVED,
            }),
        }
    }

    /// Sends a copy of `memory` in place of it.
    #[cold]
    #[inline(never)]
    fn send_copy(
        &self,
        kind: Kind,
        memory: &[u8],
        words: [u32; 3],
        deadline: Deadline,
    ) -> Result<MemoryReply, Error> {
        let header = copy::request(kind, memory.len(), words);
        let parts = [Part::new(header.as_bytes()), Part::new(memory)];
        let mut bytes = [0; MESSAGE_BYTES];
        let buffer = &mut [PartMut::new(&mut bytes)];
        let reply = self.send_vector_until(present(&parts, memory), buffer, deadline)?;
        let words = FromBytes::read_from_bytes(&bytes).unwrap_or_default();
        Ok(copied(&reply, |reply| WordsReply { words, ..reply }))
    }

    /// The same, and takes back what the server made of it.
    #[cold]
    #[inline(never)]
    fn exchange_copy(
        &self,
        memory: &mut [u8],
        words: [u32; 3],
        deadline: Deadline,
    ) -> Result<MemoryReply, Error> {
        let header = copy::request(Kind::LentMut, memory.len(), words);
        let mut answer = Header::default();
        // The kernel has read the memory by the time that it writes it.
        let parts = [
            Part::new(header.as_bytes()),
            Part::sent_and_overwritten(memory),
        ];
        let parts = present(&parts, memory);
        let buffer = &mut [PartMut::new(answer.as_mut_bytes()), PartMut::new(memory)];
        let reply = self.send_vector_until(parts, buffer, deadline)?;
        Ok(copied(&reply, |reply| answer.reply(reply)))
    }
}

/// The parts of a message, of which the second is `memory`: without it if it is empty.
fn present<'a, 'b>(parts: &'b [Part<'a>; 2], memory: &[u8]) -> &'b [Part<'a>] {
    if memory.is_empty() {
        &parts[..1]
    } else {
        parts
    }
}

/// The reply to a copy, whose words `words` fills in.
fn copied(reply: &Reply, words: impl FnOnce(WordsReply) -> WordsReply) -> MemoryReply {
    let &Reply {
        status,
        len,
        offered,
        accepted,
    } = reply;
    let reply = words(WordsReply {
        status,
        words: [0; 5],
        len,
        offered,
    });
    MemoryReply::new(reply, Some(accepted.saturating_sub(copy::HEADER)))
}
