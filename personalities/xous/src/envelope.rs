//! A message that was received, and who waits for its answer.

use riposte::Token;

use crate::{Message, MessageId};

/// Who waits for words. Answering one that no longer waits is refused. The sender of memory, and one
/// that does not wait, is nobody here: memory goes back by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageSender {
    tag: u32,
    generation: u32,
}

impl MessageSender {
    /// Nobody: no client that waits has these parts, since its generation is at least 1.
    pub(crate) const NOBODY: MessageSender = MessageSender {
        tag: 0,
        generation: 0,
    };

    /// The sender of words, who waits for this token.
    #[inline(always)]
    pub(crate) fn of_words(token: Token) -> MessageSender {
        let (tag, generation) = token.into_parts();
        MessageSender { tag, generation }
    }

    #[inline(always)]
    pub(crate) fn token(self) -> Token {
        // SAFETY: senders are made of tokens that came with words, or are nobody: no memory is lent
        // under them.
        unsafe { Token::from_parts(self.tag, self.generation) }
    }
}

/// A message that was received. When it is dropped, memory that was lent goes back, and memory that
/// was moved is given up; a client that waits for words goes on waiting for `return_scalar`.
#[derive(Debug)]
pub struct MessageEnvelope {
    /// Who waits for words.
    pub sender: MessageSender,
    /// The message.
    pub body: Message,
}

impl MessageEnvelope {
    /// What it is about.
    #[inline(always)]
    #[must_use]
    pub fn id(&self) -> MessageId {
        self.body.id()
    }

    /// The message without its sender, who waits on if it waits for words.
    #[must_use]
    pub fn take_message(self) -> Message {
        self.body
    }
}
