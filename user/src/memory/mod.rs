//! Messages that carry memory: lent, lent mutably, or moved.
//!
//! The library tries to let the hardware open the memory to the server. Where that is refused, it
//! sends a copy of the bytes instead, and both sides are told.

mod copy;
mod held;
mod lending;
mod lent;
mod moved;

pub use lending::{GiveError, MemoryReply};
pub use lent::{Lent, LentMut};
pub(crate) use moved::sealed;
pub use moved::{Delivery, Give, Moved};

use riposte_abi::MESSAGE_BYTES;

use crate::trap::{Access, Window};
use crate::{Message, Pages, Token};
use copy::Kind;
use held::Held;

/// A message that brought memory.
#[derive(Debug)]
#[must_use = "the client waits for an answer"]
pub enum Memory<'a> {
    /// To be read until the answer.
    Lent(Lent<'a>),
    /// To be read and written until the answer.
    LentMut(LentMut<'a>),
    /// To keep.
    Moved(Delivery<'a>),
}

impl Memory<'_> {
    /// Bytes that a copy takes in the buffer of the receive besides those of the memory.
    pub const COPY_HEADER: usize = copy::HEADER;
}

impl<'a> Message<'a> {
    /// Whether it is words alone: it came in registers, and no memory with it.
    #[inline(always)]
    #[must_use]
    pub fn is_words(&self) -> bool {
        self.is_in_registers() && self.token().mark() as usize <= MESSAGE_BYTES
    }

    /// The memory that the message brought: in a window of this process, or, if the hardware could
    /// not do that, as a copy in the buffer of the receive.
    ///
    /// # Errors
    /// The message as it was, if it brought none. So is a copy that the buffer could not take whole:
    /// [`Message::offered`] then exceeds [`Message::accepted`].
    pub fn into_memory(self) -> Result<Memory<'a>, Message<'a>> {
        let message = match self.opened() {
            Ok(memory) => return Ok(memory),
            Err(message) => message,
        };
        let whole = message.offered() == message.accepted();
        match copy::decode(message.bytes()) {
            Some((kind, words)) if whole => {
                let badge = message.badge();
                let (token, buffer) = message.into_buffer();
                Ok(Memory::copy(kind, badge, words, token, Held::Copy(buffer)))
            }
            _ => Err(message),
        }
    }

    /// As [`Message::into_memory`], but a copy is brought into pages of this process, whatever the
    /// buffer of the receive took of it: a server that needs no buffer for anything else has none.
    /// What comes of it is independent of the buffer. Never blocks.
    ///
    /// # Errors
    /// The message, if it brought no memory, or this process has no free pages for the copy.
    #[inline]
    pub fn fetch_memory(self) -> Result<Memory<'static>, Message<'a>> {
        let message = match self.opened() {
            Ok(memory) => return Ok(memory),
            Err(message) => message,
        };
        match message.fetch() {
            Some((kind, words, held)) => {
                let badge = message.badge();
                Ok(Memory::copy(kind, badge, words, message.into_token(), held))
            }
            None => Err(message),
        }
    }

    /// The memory that it brought in a window.
    #[inline(always)]
    pub(crate) fn opened(mut self) -> Result<Memory<'static>, Message<'a>> {
        let badge = self.badge();
        let Some((access, window)) = Window::of(&mut self) else {
            return Err(self);
        };
        let [_, _, words @ ..] = self.words();
        let held = Held::Window(window);
        let token = self.into_token();
        Ok(match access {
            Access::Lent => Memory::Lent(Lent::new(badge, words, token, held)),
            Access::LentMut => Memory::LentMut(LentMut::new(badge, words, token, held)),
            Access::Moved => Memory::Moved(Delivery::new(badge, words, token, held)),
        })
    }

    /// The copy that it is, in pages.
    #[cold]
    #[inline(never)]
    fn fetch(&self) -> Option<(Kind, [u32; 3], Held<'static>)> {
        let length = self.offered();
        if length <= MESSAGE_BYTES {
            return None;
        }
        let mut pages = Pages::allocate(length)?;
        let room = pages.get_mut(..length)?;
        if self.read(0, room) != Ok(length) {
            return None;
        }
        let (kind, words) = copy::decode(room)?;
        Some((kind, words, Held::Pages(pages, length)))
    }
}

impl<'a> Memory<'a> {
    fn copy(kind: Kind, badge: u32, words: [u32; 3], token: Token, held: Held<'a>) -> Memory<'a> {
        match kind {
            Kind::Lent => Memory::Lent(Lent::new(badge, words, token, held)),
            Kind::LentMut => Memory::LentMut(LentMut::new(badge, words, token, held)),
            Kind::Moved => Memory::Moved(Delivery::new(badge, words, token, held)),
        }
    }
}
