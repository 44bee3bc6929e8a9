//! Handlers of signals: what is saved of a thread on its stack, and how it comes back.
//!
//! Beside what the kernel keeps there, a handler's frame holds r4 to r11, where the frame of the interrupted thread lies
//! that the processor has stored, and whether that one has room for floating-point registers; these follow then, and
//! FPSCR. What the process makes of that is its own: the processor loads frames with the rights of the thread.

use riposte_kernel::{Readable, Thread, Upcall, Writable};

use crate::{NO_FLOATING_POINT, PLAIN_RETURN, machine::frame};

/// Words that are saved of every thread.
const PLAIN: usize = 8 + 2;
/// s0 to s31 and FPSCR.
const FLOATING: usize = 33;
/// Bytes of the frame from which the processor loads what the handler begins with.
const BEGINNING: u32 = frame::WORDS as u32 * 4;

unsafe extern "C" {
    /// Where the floating-point registers of the thread with this index are saved while it does not run; null if
    /// there are none.
    fn riposte_saved_fpu(index: usize) -> *mut u32;
}

fn saved_fpu(thread: &Thread) -> *mut u32 {
    // SAFETY: [`traps`](crate::traps) defines it, of the image's own threads.
    unsafe { riposte_saved_fpu(thread.index.into()) }
}

fn is_plain(resume: u32) -> bool {
    resume & NO_FLOATING_POINT != 0
}

/// Bytes below the stack pointer of a handler, and above what the kernel keeps.
pub(crate) fn room(thread: &Thread) -> (u32, u32) {
    let floating = if is_plain(thread.resume.get()) {
        0
    } else {
        FLOATING
    };
    (BEGINNING, (PLAIN + floating) as u32 * 4)
}

/// See [`riposte_kernel::Port::begin_upcall`]. (A thread with floating-point registers was interrupted before: they are
/// where the kernel has saved them.)
pub(crate) fn begin(thread: &Thread, below: Writable, above: Writable, upcall: &Upcall) {
    let to = above.address() as *mut u32;
    let resume = thread.resume.get();
    // SAFETY: the typed door has checked both ranges, which are as long as `room` says, and aligned; nobody uses them
    // meanwhile.
    unsafe {
        for (index, register) in thread.registers.iter().enumerate() {
            to.add(index).write_volatile(register.replace(0));
        }
        to.add(8).write_volatile(thread.frame.get() as u32);
        to.add(9).write_volatile(resume);
        if !is_plain(resume) {
            let from = saved_fpu(thread);
            if !from.is_null() {
                to.add(PLAIN).copy_from(from, FLOATING);
            }
        }
        let [signal, word] = upcall.arguments;
        let frame = [
            signal,
            word,
            0,
            0,
            0,
            u32::MAX,
            upcall.entry & !1,
            frame::THUMB,
        ];
        let to = below.address() as *mut u32;
        for (index, word) in frame.into_iter().enumerate() {
            to.add(index).write_volatile(word);
        }
    }
    thread.frame.set(below.address() as usize);
    thread.resume.set(PLAIN_RETURN);
}

/// See [`riposte_kernel::Port::end_upcall`].
pub(crate) fn end(thread: &Thread, from: Readable, has_fpu: bool) -> bool {
    let words = from.address() as *const u32;
    // SAFETY: the typed door has checked the range, which is as long as that of a plain thread.
    let word = |index: usize| unsafe { words.add(index).read_volatile() };
    let (at, resume) = (word(8), word(9));
    let process = thread.process;
    let size = if is_plain(resume) {
        BEGINNING
    } else {
        frame::EXTENDED
    };
    if at % 4 != 0 || process.writable(at, size).is_err() {
        return false;
    }
    if is_plain(resume) {
        thread.resume.set(PLAIN_RETURN);
    } else {
        let floating = from.address().wrapping_add(from.length());
        let Ok(floating) = process.readable(floating, FLOATING as u32 * 4) else {
            return false;
        };
        let to = saved_fpu(thread);
        if !has_fpu || to.is_null() {
            return false;
        }
        // SAFETY: the door has checked what is read; the thread does not run, so that these are its saved registers.
        unsafe { to.copy_from(floating.address() as *const u32, FLOATING) };
        thread.resume.set(PLAIN_RETURN & !NO_FLOATING_POINT);
    }
    for (index, register) in thread.registers.iter().enumerate() {
        register.set(word(index));
    }
    thread.frame.set(at as usize);
    true
}
