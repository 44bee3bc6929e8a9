//! Messages that carry memory: lent, lent mutably, or moved.
//!
//! The library tries to let the hardware open the memory to the server. Where that is refused, it
//! sends a copy of the bytes instead, and both sides are told.

mod copy;
mod held;
mod lending;
mod lent;
mod moved;

pub use lending::{MemoryReply, NotGiven};
pub use lent::{Lent, LentMut};
pub(crate) use moved::sealed;
pub use moved::{Delivery, Give, Moved};

use crate::Message;
use crate::trap::{Access, Window};
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
    /// The memory that the message brought: in a window of this process, or, if the hardware could
    /// not do that, as a copy in the buffer of the receive.
    ///
    /// # Errors
    /// The message as it was, if it brought none. So is a copy that the buffer could not take whole:
    /// [`Message::offered`] then exceeds [`Message::accepted`].
    pub fn into_memory(mut self) -> Result<Memory<'a>, Message<'a>> {
        let badge = self.badge();
        if let Some((access, window)) = Window::of(&mut self) {
            let [_, _, words @ ..] = self.words();
            let held = Held::Window(window);
            let token = self.into_token();
            return Ok(match access {
                Access::Lent => Memory::Lent(Lent::new(badge, words, token, held)),
                Access::LentMut => Memory::LentMut(LentMut::new(badge, words, token, held)),
                Access::Moved => Memory::Moved(Delivery::new(badge, words, token, held)),
            });
        }
        let Some((kind, words)) = copy::decode(&self) else {
            return Err(self);
        };
        let (token, buffer) = self.into_buffer();
        let held = Held::Copy(buffer);
        Ok(match kind {
            Kind::Lent => Memory::Lent(Lent::new(badge, words, token, held)),
            Kind::LentMut => Memory::LentMut(LentMut::new(badge, words, token, held)),
            Kind::Moved => Memory::Moved(Delivery::new(badge, words, token, held)),
        })
    }
}
