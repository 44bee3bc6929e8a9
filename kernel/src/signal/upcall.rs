//! The handler: how it begins, and how it ends.
//!
//! What the thread was doing is saved in a *frame* on its stack, or on the one that it has for signals. The frame is its
//! process's: whatever becomes of it is no more than that process could do anyway, and the port takes care of what it
//! could not. But a handler ends with its own frame only, so that one that has lost its way is found out.

use core::ops::Range;

use riposte_abi::{
    fault::reason,
    signal::{self, frame},
};

use crate::{Fault, Kernel, Known, Port, Thread, Writable, dispatch::Next, signal::bit};

/// Bytes of a frame that are the same on every machine.
const HEAD: u32 = frame::WORDS as u32 * 4;
/// Frames lie at multiples of this, as stack pointers do where a function is called.
const ALIGNMENT: u32 = 16;

/// What a handler begins with.
#[derive(Clone, Copy, Debug)]
pub struct Upcall {
    /// Where.
    pub entry: u32,
    /// Its stack pointer, which is the address of its frame.
    pub stack_pointer: u32,
    /// Its arguments: the signal, and the word that came with it.
    pub arguments: [u32; 2],
    /// What the kernel keeps in the frame, from its address on ([`riposte_abi::signal::frame`]).
    pub head: [u32; frame::WORDS],
}

/// Where a handler's frame is to lie.
pub(super) struct Place {
    address: u32,
    /// All that is stored: below `address`, and from there on.
    range: Writable,
}

impl Thread {
    /// The stack on which a handler begins, and from where down.
    fn handler_stack(&self, stack_pointer: u32) -> (Range<u32>, u32) {
        let [address, length] = self.signals.first().map_or([0; 2], |own| own.stack.get());
        if length == 0 {
            return (self.stack(), stack_pointer);
        }
        let other = address..address.saturating_add(length);
        let top = match other.contains(&stack_pointer) {
            true => stack_pointer,
            false => other.end,
        };
        (other, top)
    }

    /// Room for a frame on the stack of its handlers. `None` if there is none.
    pub(super) fn place_frame(&self, port: &impl Port) -> Option<Place> {
        let (below, above) = port.upcall_room(self);
        let (stack, top) = self.handler_stack(port.stack_below(self));
        let size = HEAD + above;
        let address = top.checked_sub(size)? & !(ALIGNMENT - 1);
        let lowest = address.checked_sub(below)?;
        if lowest < stack.start || top > stack.end {
            return None;
        }
        let length = below + size;
        let range = self.writable(lowest, length).ok()?;
        Some(Place { address, range })
    }

    /// It goes on in the handler of `signal`, which has come with `word`.
    #[inline(always)]
    pub(super) fn begin_handler(
        &'static self,
        port: &impl Port,
        place: Place,
        signal: u32,
        word: u32,
    ) {
        let Some((own, of)) = self.signals() else {
            return;
        };
        let mask = own.mask.get();
        let [low, high] = signal::words(mask);
        let previous = own.innermost.replace(place.address);
        own.mask.set(mask | of.handling.get() | bit(signal));
        let upcall = Upcall {
            entry: of.entry.get(),
            stack_pointer: place.address,
            arguments: [signal, word],
            head: [low, high, previous, signal],
        };
        port.begin_upcall(self, place.range, &upcall);
    }
}

impl Kernel {
    /// The stack of `thread`, which is the next to run, has no room for a handler: its process faults, as if the thread
    /// itself had touched what is below its stack.
    pub(super) fn overflow(&self, port: &impl Port, thread: &'static Thread) {
        debug_assert!(!self.ready.contains(thread));
        let at = port.stack_below(thread);
        let mut fault = Fault::new(reason::STACK_OVERFLOW, Some(at));
        fault.stack_pointer = at;
        // Whoever has sent the signal has no part in that.
        let current = self.current.replace(thread);
        let _ = self.stop(port, fault, thread.process.on_fault);
        self.current.set(current);
    }

    /// The caller's handler is over: it goes on where it was. If the frame is not that of its innermost handler, or not
    /// one, its process faults.
    #[inline(always)]
    pub(super) fn end_handler(&self, port: &impl Port, caller: &'static Thread) -> &'static Thread {
        if leave_handler(port, caller).is_none() {
            return self.complete(port, caller, Ok(self.refuse_frame(port, caller)));
        }
        if caller.repeats() || caller.has_due() {
            self.summon(caller);
            return self.complete(port, caller, Ok(Next::Continue));
        }
        caller.forget_progress();
        caller
    }

    #[cold]
    #[inline(never)]
    fn refuse_frame(&self, port: &impl Port, caller: &'static Thread) -> Next {
        let [address, ..] = caller.words();
        let mut fault = Fault::new(reason::SIGNAL_FRAME, Some(address));
        fault.registers = Known::All;
        fault.stack_pointer = port.stack_pointer(caller);
        self.stop(port, fault, caller.process.on_fault)
    }
}

/// The caller goes on with what is saved in the frame that it names. `None`, and nothing has changed, if that is not one
/// of its innermost handler.
#[inline(always)]
fn leave_handler(port: &impl Port, caller: &'static Thread) -> Option<()> {
    let [address, ..] = caller.words();
    let (own, _) = caller.signals()?;
    // Where the innermost one begins may be what a forged frame has said.
    let may_be_one = address != 0 && address.is_multiple_of(ALIGNMENT);
    if !may_be_one || own.innermost.get() != address {
        return None;
    }
    let (_, above) = port.upcall_room(caller);
    let length = HEAD + above;
    let range = caller.readable(address, length).ok()?;
    let [low, high, previous, _] = port.end_upcall(caller, range)?;
    own.innermost.set(previous);
    caller.mask(signal::set(low, high) | 1);
    Some(())
}
