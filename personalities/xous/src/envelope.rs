//! A message that was received, and who waits for its answer.

use core::mem::ManuallyDrop;

use riposte::Token;

use crate::{Message, MessageId};

/// Who sent a message, and waits if that is blocking. Answering one that no longer waits is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageSender {
    tag: u32,
    generation: u32,
}

impl MessageSender {
    /// Nobody who waits.
    pub(crate) const NOBODY: MessageSender = MessageSender {
        tag: 0,
        generation: 0,
    };

    #[inline(always)]
    pub(crate) fn of(token: Token) -> MessageSender {
        let (tag, generation) = token.into_parts();
        MessageSender { tag, generation }
    }

    #[inline(always)]
    pub(crate) fn token(self) -> Token {
        Token::from_parts(self.tag, self.generation)
    }
}

/// A message that was received. When it is dropped, memory that was lent goes back, and memory that
/// was moved is given up; a client that waits for words goes on waiting for `return_scalar`.
#[derive(Debug, PartialEq, Eq)]
pub struct MessageEnvelope {
    /// Who sent it.
    pub sender: MessageSender,
    /// The message.
    pub body: Message,
}

impl MessageEnvelope {
    /// What it is about.
    #[must_use]
    pub fn id(&self) -> MessageId {
        self.body.id()
    }

    /// The message without its sender, who waits on if it is blocking: for one that is answered
    /// later.
    #[must_use]
    pub fn take_message(self) -> Message {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used, or dropped, any more.
        unsafe { core::ptr::read(&raw const this.body) }
    }
}
