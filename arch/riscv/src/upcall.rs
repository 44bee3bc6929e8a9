//! Handlers of signals: what is saved of a thread on its stack, and how it comes back.
//!
//! Beside what the kernel keeps there, a handler's frame holds the message registers, all others but `gp` and `tp`, the
//! stack pointer, and where the thread goes on. It is the process's: whatever stands there by then, the thread could
//! have loaded it itself.

use riposte_abi::signal::frame::WORDS as HEAD;
use riposte_kernel::{Readable, Thread, Upcall, Writable};

use crate::{
    context::{Context, saved},
    copy::copy_short,
};

/// Message registers.
const MESSAGE: usize = riposte_abi::register::COUNT;
/// Words that are saved.
const WORDS: usize = MESSAGE + saved::COUNT + 2;
/// Bytes of the message registers, and of all others.
const SIZES: [u32; 2] = [MESSAGE as u32 * 4, saved::COUNT as u32 * 4];

/// Bytes below the stack pointer of a handler, and above what the kernel keeps.
pub(crate) const ROOM: (u32, u32) = (0, WORDS as u32 * 4);

/// See [`riposte_kernel::Port::begin_upcall`].
pub(crate) fn begin(thread: &Thread, range: Writable, upcall: &Upcall) {
    let head = (range.address() as *mut u32).cast::<[u32; HEAD]>();
    let context = Context::of(thread);
    let [message, others] = SIZES;
    // SAFETY: the typed door has checked the range, which has so many words, and is aligned; the registers of a thread
    // that does not run are where the kernel has saved them.
    unsafe {
        head.write(upcall.head);
        let to = head.add(1).cast::<u32>();
        let at = to.addr() as u32;
        copy_short(at, thread.registers.as_ptr().addr() as u32, message);
        copy_short(at + message, context.saved.as_ptr().addr() as u32, others);
        to.add(WORDS - 2).write_volatile(thread.frame.get() as u32);
        to.add(WORDS - 1).write_volatile(thread.resume.get());
    }
    let [signal, word] = upcall.arguments;
    context.saved[saved::A0].set(signal);
    context.saved[saved::A0 + 1].set(word);
    context.whole.set(1);
    thread.frame.set(upcall.stack_pointer as usize);
    thread.resume.set(upcall.entry);
}

/// See [`riposte_kernel::Port::end_upcall`].
pub(crate) fn end(thread: &Thread, range: Readable) -> [u32; HEAD] {
    let head = (range.address() as *const u32).cast::<[u32; HEAD]>();
    // SAFETY: the typed door has checked the range, which begins with these words, and is aligned.
    let (head, words) = unsafe { (head.read(), head.add(1).cast::<u32>()) };
    // SAFETY: the typed door has checked the range, which has so many words, and is aligned.
    let word = |index: usize| unsafe { words.add(index).read_volatile() };
    let context = Context::of(thread);
    let [message, others] = SIZES;
    let from = words.addr() as u32;
    // SAFETY: as above; cells may be written through what points to them.
    unsafe {
        copy_short(thread.registers.as_ptr().addr() as u32, from, message);
        copy_short(context.saved.as_ptr().addr() as u32, from + message, others);
    }
    context.whole.set(1);
    thread.frame.set(word(WORDS - 2) as usize);
    thread.resume.set(word(WORDS - 1));
    head
}
