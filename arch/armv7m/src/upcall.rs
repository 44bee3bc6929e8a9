//! Handlers of signals: what is saved of a thread on its stack, and how it comes back.
//!
//! Beside what the kernel keeps there, a handler's frame holds r4 to r11, where the frame of the interrupted thread lies
//! that the processor has stored, and whether that one has room for floating-point registers; these follow then, and
//! FPSCR. What the process makes of that is its own: the processor loads frames with the rights of the thread.

use riposte_abi::signal::frame::WORDS as HEAD;
use riposte_kernel::{Readable, Thread, Upcall, Writable};

use crate::{NO_FLOATING_POINT, PLAIN_RETURN, copy::copy_short, machine::frame};

/// r4 to r11.
const MESSAGE: usize = riposte_abi::register::COUNT;
/// Words that are saved of every thread.
const PLAIN: usize = MESSAGE + 2;
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

/// The handler at whose `beginning` a thread goes on, which may not have executed anything yet, is told the thread's index in
/// its process, and its id, as the thread itself is when it begins.
///
/// # Safety
/// The first words of the frame there may be written.
#[cold]
#[inline(never)]
unsafe fn introduce(thread: &Thread, beginning: *mut u32) {
    let [_, index, id, _] = thread.arguments();
    // SAFETY: the caller's promise.
    unsafe { beginning.add(2).cast::<[u32; 2]>().write([index, id]) };
}

/// See [`riposte_kernel::Port::begin_upcall`]. (A thread with floating-point registers was interrupted before: they are
/// where the kernel has saved them.)
pub(crate) fn begin(thread: &Thread, range: Writable, upcall: &Upcall) {
    let beginning = range.address() as *mut u32;
    let resume = thread.resume.get();
    let [signal, word] = upcall.arguments;
    let entry = upcall.entry & !1;
    // SAFETY: the typed door has checked the range, which is as long as `room` says, and aligned; nobody uses it
    // meanwhile.
    unsafe {
        beginning.cast::<[u32; frame::WORDS]>().write([
            signal,
            word,
            0,
            0,
            0,
            u32::MAX,
            entry,
            frame::THUMB,
        ]);
        let head = beginning.add(frame::WORDS).cast::<[u32; HEAD]>();
        head.write(upcall.head);
        let to = head.add(1).cast::<[u32; MESSAGE]>();
        // The handler finds in its message registers what the thread had there.
        copy_short(to.cast(), thread.registers.as_ptr().cast(), MESSAGE * 4);
        let to = to.add(1).cast::<u32>();
        to.write(thread.frame.get() as u32);
        to.add(1).write(resume);
        if !is_plain(resume) {
            let from = saved_fpu(thread);
            if !from.is_null() {
                to.add(2).copy_from(from, FLOATING);
            }
        }
    }
    let interrupted = thread.frame.replace(beginning.addr());
    thread.resume.set(PLAIN_RETURN);
    // Nothing else lies so far up on its stack.
    if (thread.stack_top as usize).wrapping_sub(interrupted) < frame::WORDS * 4 + 8 {
        // SAFETY: these words were written above.
        unsafe { introduce(thread, beginning) };
    }
}

/// See [`riposte_kernel::Port::end_upcall`].
pub(crate) fn end(thread: &Thread, range: Readable, has_fpu: bool) -> Option<[u32; HEAD]> {
    // SAFETY: the typed door has checked the range, which is as long as that of a plain thread.
    let (head, message, [at, resume]) = unsafe {
        let head = (range.address() as *const u32).cast::<[u32; HEAD]>();
        let message = head.add(1).cast::<[u32; MESSAGE]>();
        (
            head.read(),
            message,
            message.add(1).cast::<[u32; 2]>().read(),
        )
    };
    let size = if is_plain(resume) {
        BEGINNING
    } else {
        frame::EXTENDED
    };
    if !at.is_multiple_of(4) || thread.writable(at, size).is_err() {
        return None;
    }
    if is_plain(resume) {
        thread.resume.set(PLAIN_RETURN);
    } else {
        let floating = range.address().wrapping_add((HEAD + PLAIN) as u32 * 4);
        let floating = thread.readable(floating, FLOATING as u32 * 4).ok()?;
        let to = saved_fpu(thread);
        if !has_fpu || to.is_null() {
            return None;
        }
        // SAFETY: the door has checked what is read; the thread does not run, so that these are its saved registers.
        unsafe { to.copy_from(floating.address() as *const u32, FLOATING) };
        thread.resume.set(PLAIN_RETURN & !NO_FLOATING_POINT);
    }
    // SAFETY: the door has checked what is read; cells may be written through what points to them.
    unsafe {
        let to = thread.registers.as_ptr().cast_mut();
        copy_short(to.cast(), message.cast(), MESSAGE * 4);
    }
    thread.frame.set(at as usize);
    Some(head)
}
