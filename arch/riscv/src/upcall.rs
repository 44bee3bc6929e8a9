//! Handlers of signals: what is saved of a thread on its stack, and how it comes back.
//!
//! Beside what the kernel keeps there, a handler's frame holds the message registers, all others but `gp` and `tp`, the
//! stack pointer, and where the thread goes on. It is the process's: whatever stands there by then, the thread could
//! have loaded it itself.

use riposte_abi::signal::frame::WORDS as HEAD;
use riposte_kernel::{Readable, Thread, Upcall, Writable};

use crate::context::{Context, saved};

/// Message registers.
const MESSAGE: usize = riposte_abi::register::COUNT;
/// Words that are saved.
const WORDS: usize = MESSAGE + saved::COUNT + 2;

/// Bytes below the stack pointer of a handler, and above what the kernel keeps.
pub(crate) const ROOM: (u32, u32) = (0, WORDS as u32 * 4);

/// See [`riposte_kernel::Port::begin_upcall`].
pub(crate) fn begin(thread: &Thread, range: Writable, upcall: &Upcall) {
    let head = (range.address() as *mut u32).cast::<[u32; HEAD]>();
    // SAFETY: the typed door has checked the range, which begins with these words, and is aligned.
    let to = unsafe {
        head.write(upcall.head);
        head.add(1).cast::<u32>()
    };
    let context = Context::of(thread);
    let registers = thread.registers.iter().chain(&context.saved);
    for (index, register) in registers.enumerate() {
        // SAFETY: the typed door has checked the range, which has so many words, and is aligned.
        unsafe { to.add(index).write_volatile(register.get()) };
    }
    // SAFETY: as above.
    unsafe {
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
    let registers = thread.registers.iter().chain(&context.saved);
    for (index, register) in registers.enumerate() {
        register.set(word(index));
    }
    context.whole.set(1);
    thread.frame.set(word(WORDS - 2) as usize);
    thread.resume.set(word(WORDS - 1));
    head
}
