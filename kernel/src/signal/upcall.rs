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

use crate::{
    Fault, Kernel, Known, Port, Thread, Writable, dispatch::Next, limits::GUARD, signal::bit,
};

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
struct Place {
    address: u32,
    /// All that is stored: below `address`, and from there on.
    range: Writable,
}

impl Thread {
    /// The stack on which a handler begins, and from where down.
    fn handler_stack(&self, stack_pointer: u32) -> (Range<u32>, u32) {
        let is_main = self.index == self.process.first_thread;
        let guard = if is_main { 0 } else { GUARD };
        let usual = self.stack_base.saturating_add(guard)..self.stack_top;
        let [address, length] = self.signals.first().map_or([0; 2], |own| own.stack.get());
        let other = address..address.saturating_add(length);
        if other.contains(&stack_pointer) {
            (other, stack_pointer)
        } else if length != 0 {
            let end = other.end;
            (other, end)
        } else {
            (usual, stack_pointer)
        }
    }

    /// Room for a frame on the stack of its handlers. `None` if there is none.
    fn place_frame(&self, port: &impl Port) -> Option<Place> {
        let (below, above) = port.upcall_room(self);
        let (stack, top) = self.handler_stack(port.stack_below(self));
        let size = HEAD + above;
        let address = top.checked_sub(size)? & !(ALIGNMENT - 1);
        let lowest = address.checked_sub(below)?;
        if lowest < stack.start || top > stack.end {
            return None;
        }
        let range = self.process.writable(lowest, below + size).ok()?;
        Some(Place { address, range })
    }
}

impl Kernel {
    /// `thread`, which is ready, goes on in the handler of `signal`. If there is no room for that, its process faults.
    pub(super) fn begin_handler(&self, port: &impl Port, thread: &'static Thread, signal: u32) {
        let Some((own, of)) = thread.signals() else {
            return;
        };
        let Some(place) = thread.place_frame(port) else {
            return self.overflow(port, thread);
        };
        let word = thread.take(signal);
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
        port.begin_upcall(thread, place.range, &upcall);
    }

    /// The stack of `thread` has no room for a handler: its process faults, as if the thread itself had touched what is
    /// below its stack.
    fn overflow(&self, port: &impl Port, thread: &'static Thread) {
        let at = port.stack_below(thread);
        let mut fault = Fault::new(reason::STACK_OVERFLOW, Some(at));
        fault.stack_pointer = at;
        if self.ready.contains(thread) {
            self.ready.remove(thread);
        }
        // Whoever has sent the signal has no part in that.
        let current = self.current.replace(thread);
        let _ = self.stop(port, fault, thread.process.on_fault);
        self.current.set(current);
    }

    /// The caller's handler is over: it goes on where it was. If the frame is not that of its innermost handler, or not
    /// one, its process faults.
    pub(crate) fn end_handler(&self, port: &impl Port, caller: &'static Thread) -> Next {
        let [address, ..] = caller.words();
        if self.leave_handler(port, caller, address).is_some() {
            self.summon(caller);
            return Next::Continue;
        }
        let mut fault = Fault::new(reason::SIGNAL_FRAME, Some(address));
        fault.registers = Known::All;
        fault.stack_pointer = port.stack_pointer(caller);
        self.stop(port, fault, caller.process.on_fault)
    }

    fn leave_handler(&self, port: &impl Port, caller: &'static Thread, address: u32) -> Option<()> {
        let (own, _) = caller.signals()?;
        // Where the innermost one begins may be what a forged frame has said.
        let may_be_one = address != 0 && address.is_multiple_of(ALIGNMENT);
        if !may_be_one || own.innermost.get() != address {
            return None;
        }
        let (_, above) = port.upcall_room(caller);
        let range = caller.process.readable(address, HEAD + above).ok()?;
        let [low, high, previous, _] = port.end_upcall(caller, range)?;
        own.innermost.set(previous);
        caller.mask(signal::set(low, high) | 1);
        Some(())
    }
}
