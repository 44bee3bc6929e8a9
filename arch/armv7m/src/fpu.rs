//! The floating-point unit, given to a thread when it first uses it.
//!
//! It is off until then, so that a thread without floating point never pays: its frames are plain
//! and the system call's fast path need not look. A thread that uses it traps once, and from then
//! on runs with the second vector table, whose system-call entry first brings the frame back to
//! the plain form: by the call ABI the registers are clobbered, and the unit is off again.
//!
//! Only a preempted thread's registers are saved, and by the kernel: the processor would store half
//! of them in the frame later, where the thread may have no memory, and the fault would be the
//! kernel's.

use core::{arch::asm, cell::UnsafeCell};

use riposte_abi::fault::reason;
use riposte_kernel::Thread;

use crate::{
    NO_FLOATING_POINT, PLAIN_RETURN,
    machine::{frame, set_frame_word},
    registers::{CPACR, FPCCR, VTOR},
};

/// Full access to coprocessors 10 and 11.
const ON: u32 = 0xF << 20;
/// A frame has room for floating-point registers if the thread uses some, and they are stored when that is needed: so
/// after a reset.
const AUTOMATIC: u32 = 0b11 << 30;
/// The processor has not stored s0 to s15 and FPSCR in the frame yet.
const LAZY_PENDING: u32 = 1;
/// Bytes of a plain frame.
const PLAIN: usize = frame::WORDS * 4;
/// Most bytes that the processor takes for a frame: it begins at a multiple of 8.
const LARGEST: u32 = frame::EXTENDED + 4;

/// s0 to s31 and FPSCR of one preempted thread. The room for them in its frame is not used.
#[repr(C, align(8))]
pub struct Saved(UnsafeCell<[u32; 33]>);

impl Saved {
    /// Nothing saved.
    #[must_use]
    pub const fn new() -> Self {
        Self(UnsafeCell::new([0; 33]))
    }
}

impl Saved {
    /// Its words, as they follow each other.
    pub(crate) fn words(&self) -> *mut u32 {
        self.0.get().cast()
    }
}

impl Default for Saved {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: only kernel code touches it, which is never preempted (see `Global`).
unsafe impl Sync for Saved {}

fn barrier() {
    // SAFETY: barriers only.
    unsafe { asm!("dsb", "isb", options(nostack, preserves_flags)) };
}

/// Nothing is stored, and frames are as this module expects them, whatever a loader has left.
pub(crate) fn begin() {
    FPCCR.write(AUTOMATIC);
}

/// Whether the running thread has the unit.
pub(crate) fn is_on() -> bool {
    CPACR.read() & ON != 0
}

/// Gives the unit, with nobody's values in it, to the running thread.
pub(crate) fn switch_on(vectors: usize) {
    CPACR.change(ON, 0);
    VTOR.write(vectors as u32);
    barrier();
    // SAFETY: the unit is on; no saved state is in it, and the kernel keeps none there.
    unsafe {
        asm!(
            ".fpu fpv4-sp-d16",
            "vmsr fpscr, {zero}",
            "vmov s0, s1, {zero}, {zero}", "vmov s2, s3, {zero}, {zero}",
            "vmov s4, s5, {zero}, {zero}", "vmov s6, s7, {zero}, {zero}",
            "vmov s8, s9, {zero}, {zero}", "vmov s10, s11, {zero}, {zero}",
            "vmov s12, s13, {zero}, {zero}", "vmov s14, s15, {zero}, {zero}",
            "vmov s16, s17, {zero}, {zero}", "vmov s18, s19, {zero}, {zero}",
            "vmov s20, s21, {zero}, {zero}", "vmov s22, s23, {zero}, {zero}",
            "vmov s24, s25, {zero}, {zero}", "vmov s26, s27, {zero}, {zero}",
            "vmov s28, s29, {zero}, {zero}", "vmov s30, s31, {zero}, {zero}",
            zero = in(reg) 0,
        );
    }
}

fn switch_off(vectors: usize) {
    CPACR.change(0, ON);
    VTOR.write(vectors as u32);
    barrier();
}

/// Before the running thread is suspended in the middle of things: saves its registers, if its
/// frame says that it has some, and takes the unit away.
pub(crate) fn suspend(thread: &Thread, saved: &Saved, vectors: usize) {
    // The processor has put off storing the registers, and forgets it here. (They are the thread's still, unless it
    // begins anew: then nobody wants them.)
    FPCCR.change(0, LAZY_PENDING);
    if thread.resume.get() & NO_FLOATING_POINT == 0 {
        // SAFETY: the unit is on while such a thread runs; `saved` is this thread's own. What is in the unit counts as the
        // handler's, by `CONTROL.FPCA`: else the first instruction here would set FPSCR as for a new use of the unit.
        unsafe {
            asm!(
                ".fpu fpv4-sp-d16",
                "mrs {1}, control",
                "orr {1}, #4",
                "msr control, {1}",
                "isb",
                "vstmia {0}!, {{s0-s31}}",
                "vmrs {1}, fpscr",
                "str {1}, [{0}]",
                inout(reg) saved.0.get() => _,
                out(reg) _,
            );
        }
    }
    switch_off(vectors);
}

/// Before a thread that was suspended so runs again: gives it its registers, and makes the
/// processor believe that they have been there all the time, so that it loads none.
pub(crate) fn resume(thread: &Thread, saved: &Saved, vectors: usize) {
    if thread.resume.get() & NO_FLOATING_POINT == 0 {
        switch_on(vectors);
        // SAFETY: the unit is on, and no lazy save is pending; the values are this thread's own.
        unsafe {
            asm!(
                ".fpu fpv4-sp-d16",
                "vldmia {0}!, {{s0-s31}}",
                "ldr {1}, [{0}]",
                "vmsr fpscr, {1}",
                inout(reg) saved.0.get() => _,
                out(reg) _,
            );
        }
        FPCCR.change(LAZY_PENDING, 0);
    }
}

/// Whether the room for floating-point registers in the frame of a thread with the unit leads over a guard, so that the
/// processor has stored the others below it, in the stack of another thread of its process. (A thread that does not run
/// on its own stack, as a handler of signals may, can be anywhere.)
pub(crate) fn is_beyond_stack(thread: &Thread) -> bool {
    let beyond = thread.stack_base.wrapping_sub(thread.frame.get() as u32);
    thread.resume.get() & NO_FLOATING_POINT == 0 && beyond.wrapping_sub(1) < LARGEST
}

/// Where the plain frame of a thread would end that has one with floating-point registers.
///
/// # Errors
/// The reason of a fault: that is not in its memory, or the frame is [beyond its stack](is_beyond_stack).
pub(crate) fn room(thread: &Thread) -> Result<usize, u32> {
    let room = frame::EXTENDED as usize - PLAIN;
    let to = thread.frame.get().wrapping_add(room);
    if is_beyond_stack(thread) {
        Err(reason::STACK_OVERFLOW)
    } else if thread.process.writable(to as u32, PLAIN as u32).is_err() {
        Err(reason::MEMORY)
    } else {
        Ok(to)
    }
}

/// A thread with the unit makes a system call: its registers are worth nothing any more. Turns its
/// frame into a plain one and switches the unit off. Whether it did: a thread that has no memory
/// where the plain frame would lie, or whose frame is beyond its stack, keeps the unit and the frame.
/// Its call is not performed, and its process has faulted.
pub(crate) fn discard(thread: &Thread, vectors: usize) -> bool {
    FPCCR.change(0, LAZY_PENDING);
    if thread.resume.get() & NO_FLOATING_POINT == 0 {
        let Ok(to) = room(thread) else {
            return false;
        };
        let words: [u32; frame::WORDS] =
            core::array::from_fn(|index| crate::machine::frame_word(thread, index));
        thread.frame.set(to);
        for (index, word) in words.into_iter().enumerate() {
            set_frame_word(thread, index, word);
        }
        thread.resume.set(PLAIN_RETURN);
    }
    switch_off(vectors);
    true
}

/// A thread with the unit has faulted: nothing of its state is wanted.
pub(crate) fn abandon(vectors: usize) {
    FPCCR.change(0, LAZY_PENDING);
    switch_off(vectors);
}
