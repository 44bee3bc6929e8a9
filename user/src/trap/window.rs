//! Memory of another process that a message brought.

use riposte_abi::call::number;
use riposte_abi::{info, register};

use super::{Range, Span};
use crate::{Message, failure};

/// What the server may do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read it until it answers.
    Lent,
    /// Read and write it until it answers.
    LentMut,
    /// Keep it.
    Moved,
}

/// A window of this process, in which a client's memory appears. Whoever holds it must give it up
/// before the client is answered, unless the memory was moved.
#[derive(Debug)]
pub(crate) struct Window(Span);

impl Window {
    /// The window that came with `message`, if memory did; its token must stay with the window until
    /// that is given up.
    #[inline(always)]
    pub fn of(message: &mut Message<'_>) -> Option<(Access, Window)> {
        let access = match message.token_mut().take_mark() {
            info::LENT => Access::Lent,
            info::LENT_MUT => Access::LentMut,
            info::MOVED => Access::Moved,
            _ => return None,
        };
        let [address, length, ..] = message.words();
        // SAFETY: a message is what a receive returned, so that the kernel has opened the window, to
        // be written unless it is `Lent`, and keeps everybody else from writing, or using, what
        // is in it. It stays open until the message is answered, which takes its token, or until the
        // moved memory is released; but no longer than the thread that has received the message, unless the
        // memory was moved: the message, and what is made of a loan, stay in that thread, and show no
        // reference that could outlive it. The mark was taken, so that no message opens its window twice.
        let span = unsafe { Span::new(Range { address, length }) }?;
        Some((access, Window(span)))
    }

    /// What is in it.
    #[inline(always)]
    pub fn span(&self) -> &Span {
        &self.0
    }

    /// What is in it, to be changed: not if it is [`Access::Lent`].
    #[inline(always)]
    pub fn span_mut(&mut self) -> &mut Span {
        &mut self.0
    }

    /// Gives up moved memory, and the window, if it is still there.
    pub fn release(&mut self) {
        give_up(self.0.range().address);
    }
}

/// Gives up the moved memory in the window at `address`, or unmaps the region there, if it is still there. Nobody may look at it any more, or ever
/// have done so.
#[cold]
#[inline(never)]
pub(crate) fn give_up(address: u32) {
    let mut registers = failure::registers(number::RELEASE);
    registers[register::WORD0] = address;
    // An error says that it isn't.
    let _ = failure::call(registers, [0; 5]);
}
