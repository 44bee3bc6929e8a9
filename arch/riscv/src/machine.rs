//! The kernel's [`Port`] on this architecture.

use core::{cell::Cell, marker::PhantomData};

use riposte_abi::{fault::REGISTERS, signal::frame::WORDS as HEAD};
use riposte_kernel::{Known, Port, Readable, Room, Thread, Upcall, Writable};

use crate::{
    context::{Context, saved},
    copy::{clear, copy, copy_short},
    csr, fault, protection, upcall,
};

/// What a board adds to the processor.
pub trait Board {
    /// Monotonic time in nanoseconds.
    fn now() -> u64;

    /// Nanoseconds of a tick of [`Board::ticks`].
    const TICK: u32;

    /// The low word of the count from which [`Board::now`] is made. Between two alarms, or when none is asked for as
    /// long, it does not come around.
    fn ticks() -> u32;

    /// Asks for the machine timer's interrupt at or soon after this time, and for none before;
    /// `u64::MAX` for none.
    fn set_alarm(at: u64);

    /// The interrupts for processes come as these bits of `mie`.
    const SOURCES: u32;

    /// Makes these lines ones that interrupt, once they are unmasked.
    fn prepare(lines: &[u16]);

    /// Takes the interrupt that has come with `mcause`: its line, which does not come again until it is
    /// unmasked; or, if none is there any more, a number that is no line's.
    fn take(cause: u32) -> usize;

    /// Keeps a line from coming.
    fn mask(line: u16);

    /// Lets a line come.
    fn unmask(line: u16);

    /// Makes a line come as its device would, if software can.
    fn pend(line: u16) -> bool;

    /// Resets the machine.
    fn reset() -> !;

    /// Ends the run.
    fn shutdown(code: u32) -> !;
}

/// The machine under the kernel: this processor on board `B`.
pub struct Machine<B>(PhantomData<B>);

impl<B> Machine<B> {
    /// The machine.
    ///
    /// # Safety
    /// Called by code that runs in machine mode with interrupts off: nothing else may touch user
    /// memory meanwhile.
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self(PhantomData)
    }
}

/// Where the extra registers of a thread in a call are.
const EXTRAS: [usize; 5] = [
    saved::S10,
    saved::S11,
    saved::A0 + 2,
    saved::A0 + 3,
    saved::A0 + 4,
];

impl<B: Board> Port for Machine<B> {
    #[inline]
    fn copy(&self, from: Readable, to: Writable) -> u32 {
        // SAFETY: the typed door has checked both ranges; processes do not run meanwhile.
        let copied = unsafe {
            copy(
                to.address() as *mut u8,
                from.address() as *const u8,
                from.length() as usize,
            )
        };
        copied as u32
    }

    #[inline(always)]
    fn copy_short(&self, from: Readable, to: Writable) {
        // SAFETY: as in `copy`.
        unsafe { copy_short(to.address(), from.address(), from.length()) };
    }

    fn fetch(&self, from: Readable, to: &mut [u8]) {
        let from = from.part(0, to.len() as u32);
        // SAFETY: `from` was checked and is no longer than `to`.
        unsafe {
            copy(
                to.as_mut_ptr(),
                from.address() as *const u8,
                from.length() as usize,
            );
        }
    }

    fn store(&self, from: &[Cell<u8>], to: Writable) {
        let to = to.part(0, from.len() as u32);
        // SAFETY: `to` was checked and is no longer than `from`, which nobody changes meanwhile.
        unsafe {
            copy(
                to.address() as *mut u8,
                from.as_ptr().cast(),
                to.length() as usize,
            );
        }
    }

    #[inline(always)]
    fn word(&self, from: Readable) -> u32 {
        // SAFETY: the typed door has checked the word, which is aligned.
        unsafe { (from.address() as *const u32).read_volatile() }
    }

    #[inline(always)]
    fn set_word(&self, to: Writable, value: u32) {
        // SAFETY: as in `word`.
        unsafe { (to.address() as *mut u32).write_volatile(value) };
    }

    #[inline(always)]
    fn extra(&self, thread: &Thread, index: usize) -> u32 {
        let position = EXTRAS.get(index).copied().unwrap_or(saved::S10);
        Context::of(thread).saved[position].get()
    }

    #[inline(always)]
    fn room(&self, thread: &Thread) -> Room {
        let saved = &Context::of(thread).saved;
        Room::Kept(saved[EXTRAS[2]].get(), saved[EXTRAS[3]].get())
    }

    fn registers(&self, thread: &Thread, _known: Known, to: &[Cell<u32>; REGISTERS]) {
        fault::registers(thread, to);
    }

    fn stack_pointer(&self, thread: &Thread) -> u32 {
        thread.frame.get() as u32
    }

    fn stack_below(&self, thread: &Thread) -> u32 {
        thread.frame.get() as u32
    }

    fn upcall_room(&self, _: &Thread) -> (u32, u32) {
        upcall::ROOM
    }

    fn begin_upcall(&self, thread: &Thread, range: Writable, upcall: &Upcall) {
        upcall::begin(thread, range, upcall);
    }

    fn end_upcall(&self, thread: &Thread, range: Readable) -> Option<[u32; HEAD]> {
        Some(upcall::end(thread, range))
    }

    /// Instructions are a multiple of two bytes.
    fn return_target(&self, word: u32) -> Option<u32> {
        (word & 1 == 0).then_some(word)
    }

    #[inline]
    fn interrupted(&self) -> bool {
        csr::interrupt_waits()
    }

    fn now(&self) -> u64 {
        B::now()
    }

    const TICK: u32 = B::TICK;

    #[inline(always)]
    fn ticks(&self) -> u32 {
        B::ticks()
    }

    fn set_alarm(&self, at: u64) {
        B::set_alarm(at);
    }

    #[inline(always)]
    fn can_open(&self, range: Writable) -> bool {
        protection::can_hold(range)
    }

    #[inline(always)]
    fn open(
        &self,
        threads: &'static [Thread],
        number: usize,
        range: Writable,
        writable: bool,
    ) -> u32 {
        protection::open(threads, number, range, writable)
    }

    #[inline(always)]
    fn close(&self, threads: &'static [Thread], number: usize, length: u32) {
        protection::close(threads, number, length);
    }

    fn hide(
        &self,
        threads: &'static [Thread],
        number: usize,
        range: Writable,
        address: u32,
        readable: bool,
    ) {
        protection::hide(threads, number, range, address, readable);
    }

    fn show(&self, threads: &'static [Thread], number: usize) {
        protection::show(threads, number);
    }

    fn clear(&self, to: Writable) -> u32 {
        // SAFETY: the typed door has checked the range, which the protection can hold: it is aligned.
        let cleared = unsafe { clear(to.address() as *mut u8, to.length() as usize) };
        cleared as u32
    }

    fn mask(&self, line: u16) {
        B::mask(line);
    }

    #[inline(always)]
    fn unmask(&self, line: u16) {
        B::unmask(line);
    }

    /// The controller keeps no request of a line whose device asks no more.
    fn forget(&self, _: u16) {}

    #[inline(always)]
    fn pend(&self, line: u16) -> bool {
        B::pend(line)
    }

    /// The instruction of a call is four bytes long. The call's extra registers are among those that a preempted
    /// thread gets back.
    fn repeat(&self, thread: &Thread) {
        thread.resume.set(thread.resume.get().wrapping_sub(4));
        Context::of(thread).whole.set(1);
    }

    fn reset(&self, thread: &Thread) {
        thread.frame.set(thread.stack_top as usize & !15);
        thread.resume.set(thread.entry.get());
        for register in &thread.registers {
            register.set(0);
        }
        let context = Context::of(thread);
        context.whole.set(1);
        context.pointers[0].set(thread.id());
        let saved = &context.saved;
        for register in saved {
            register.set(0);
        }
        let arguments = saved[saved::A0..].iter().zip(thread.arguments());
        arguments.for_each(|(register, argument)| register.set(argument));
    }

    fn reset_machine(&self) {
        B::reset();
    }

    fn shutdown(&self, code: u32) {
        B::shutdown(code);
    }
}
