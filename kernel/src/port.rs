//! What the kernel asks of the machine it runs on.

use riposte_abi::fault::REGISTERS;

use crate::{Readable, Thread, Writable};

/// A processor family under the kernel. The host's tests implement it over plain vectors.
pub trait Port {
    /// Copies `from` to `to`, which have the same length, from the first byte on. Returns how many
    /// bytes were copied: all, or a multiple of [`crate::CHUNK`] if an interrupt waits by then.
    /// What becomes of a range that overlaps the other is its process's own business.
    fn copy(&self, from: Readable, to: Writable) -> u32;

    /// Copies `from` to `to`, which have the same length, at most [`crate::CHUNK`]: all of it,
    /// whatever waits.
    fn copy_short(&self, from: Readable, to: Writable);

    /// Copies checked user bytes into the kernel. `to` is as long as `from`.
    fn fetch(&self, from: Readable, to: &mut [u8]);

    /// Copies kernel bytes to checked user memory. `from` is as long as `to`.
    fn store(&self, from: &[u8], to: Writable);

    /// Extra register `x0` to `x4` of a thread that is in a system call.
    fn extra(&self, thread: &Thread, index: usize) -> u32;

    /// Extra registers `x2` and `x3`: where a thread that is in a call wants bytes.
    fn inward(&self, thread: &Thread) -> (u32, u32) {
        (self.extra(thread, 2), self.extra(thread, 3))
    }

    /// What is known of the registers of a thread that is in a system call, for a fault record.
    fn registers(&self, thread: &Thread) -> [u32; REGISTERS];

    /// The stack pointer of a thread that is in a system call.
    fn stack_pointer(&self, thread: &Thread) -> u32;

    /// The code address that a word on a stack would return to, if it could be a return address at
    /// all.
    fn return_target(&self, word: u32) -> Option<u32>;

    /// Monotonic time in nanoseconds.
    fn now(&self) -> u64;

    /// Asks for [`crate::Kernel::alarm`] at or soon after this monotonic time; `u64::MAX` for none.
    fn set_alarm(&self, at: u64);

    /// Makes the thread begin at its entry with an empty stack the next time it runs.
    fn reset(&self, thread: &Thread);

    /// Ends the run with this exit code. Does not return where there is a machine to stop.
    fn shutdown(&self, code: u32);
}
