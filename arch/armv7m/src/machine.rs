//! The kernel's [`Port`] on this architecture.

use core::{cell::Cell, marker::PhantomData};

use riposte_abi::{fault::REGISTERS, signal::frame::WORDS as HEAD};
use riposte_kernel::{Known, Port, Readable, Room, Thread, Upcall, Writable};

use crate::{
    PLAIN_RETURN,
    copy::{PENDING, clear, copy, copy_short},
    fault,
    mpu::{self, Changing, Rights},
    nvic,
    registers::{self, ICSR, NVIC_ICER, NVIC_ICPR, NVIC_ISER},
    upcall,
};

/// What a board adds to the processor.
pub trait Board {
    /// Whether there is a single-precision FPU.
    const FPU: bool;

    /// Number of the clock's interrupt.
    const CLOCK: u32;

    /// Monotonic time in nanoseconds.
    fn now() -> u64;

    /// Nanoseconds of a tick of [`Board::ticks`].
    const TICK: u32;

    /// The low word of the count from which [`Board::now`] is made. Between two alarms, or when none is asked for as
    /// long, it does not come around.
    fn ticks() -> u32;

    /// Asks for the clock interrupt at or soon after this time; `u64::MAX` for none.
    fn set_alarm(at: u64);

    /// Ends the run.
    fn shutdown(code: u32) -> !;
}

/// The machine under the kernel: this processor on board `B`.
pub struct Machine<B>(PhantomData<B>);

impl<B> Machine<B> {
    /// The machine.
    ///
    /// # Safety
    /// Called by code that runs in handler mode at the kernel's priority, or before the first
    /// process runs: nothing else may touch user memory meanwhile.
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self(PhantomData)
    }
}

/// Words of the frame that the hardware pushes.
pub(crate) mod frame {
    pub const R2: u32 = 2;
    pub const R12: usize = 4;
    pub const LR: usize = 5;
    pub const PC: usize = 6;
    pub const XPSR: usize = 7;
    pub const WORDS: usize = 8;
    /// Bytes of a frame with floating-point registers.
    pub const EXTENDED: u32 = 104;
    /// Program status of a thread that begins.
    pub const THUMB: u32 = 1 << 24;
}

/// A word of the frame that the hardware pushed for `thread`.
///
/// The thread has just been suspended with a complete frame: the hardware stored it with the thread's own
/// rights, so it lies in the thread's own memory, and nothing has run that could move it. (What is wanted of
/// a thread that was suspended before: [`Port::room`].)
#[inline]
pub(crate) fn frame_word(thread: &Thread, index: usize) -> u32 {
    debug_assert!(index < frame::WORDS);
    // SAFETY: see above; `index` is within the frame.
    unsafe {
        (thread.frame.get() as *const u32)
            .add(index)
            .read_volatile()
    }
}

/// Changes a word of the frame, as [`frame_word`] reads it.
pub(crate) fn set_frame_word(thread: &Thread, index: usize, value: u32) {
    debug_assert!(index < frame::WORDS);
    // SAFETY: as in `frame_word`.
    unsafe {
        (thread.frame.get() as *mut u32)
            .add(index)
            .write_volatile(value)
    }
}

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
        unsafe {
            copy_short(
                to.address() as *mut u8,
                from.address() as *const u8,
                from.length() as usize,
            )
        };
    }

    fn fetch(&self, from: Readable, to: &mut [u8]) {
        let from = from.part(0, to.len() as u32);
        // SAFETY: `from` was checked and is no longer than `to`.
        unsafe {
            copy(
                to.as_mut_ptr(),
                from.address() as *const u8,
                from.length() as usize,
            )
        };
    }

    #[inline(always)]
    fn store(&self, from: &[Cell<u8>], to: Writable) {
        let to = to.part(0, from.len() as u32);
        // SAFETY: `to` was checked and is no longer than `from`, which nobody changes meanwhile.
        unsafe {
            copy(
                to.address() as *mut u8,
                from.as_ptr().cast(),
                to.length() as usize,
            )
        };
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
        frame_word(thread, index)
    }

    #[inline(always)]
    fn room(&self, thread: &Thread) -> Room {
        Room::OnStack(thread.frame.get() as u32 + frame::R2 * 4)
    }

    fn registers(&self, thread: &Thread, known: Known, to: &[Cell<u32>; REGISTERS]) {
        fault::registers(thread, known == Known::All, to);
    }

    fn stack_pointer(&self, thread: &Thread) -> u32 {
        fault::stack_pointer(thread, true)
    }

    fn stack_below(&self, thread: &Thread) -> u32 {
        thread.frame.get() as u32
    }

    fn upcall_room(&self, thread: &Thread) -> (u32, u32) {
        upcall::room(thread)
    }

    fn begin_upcall(&self, thread: &Thread, range: Writable, upcall: &Upcall) {
        upcall::begin(thread, range, upcall);
    }

    fn end_upcall(&self, thread: &Thread, range: Readable) -> Option<[u32; HEAD]> {
        upcall::end(thread, range, B::FPU)
    }

    /// Bit 0 of a return address says that it is Thumb code.
    fn return_target(&self, word: u32) -> Option<u32> {
        (word & 1 == 1).then_some(word & !1)
    }

    #[inline]
    fn interrupted(&self) -> bool {
        ICSR.read() & PENDING != 0
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
        mpu::can_hold(range)
    }

    #[inline(always)]
    fn open(
        &self,
        threads: &'static [Thread],
        number: usize,
        range: Writable,
        writable: bool,
    ) -> u32 {
        let rights = if writable {
            Rights::Data
        } else {
            Rights::ReadOnly
        };
        for thread in threads {
            Changing::of(thread).open(number, range, rights);
        }
        range.address()
    }

    #[inline(always)]
    fn close(&self, threads: &'static [Thread], number: usize, _: u32) {
        for thread in threads {
            Changing::of(thread).close(number);
        }
    }

    fn hide(
        &self,
        threads: &'static [Thread],
        number: usize,
        range: Writable,
        _: u32,
        readable: bool,
    ) {
        let rights = if readable {
            Rights::ReadOnly
        } else {
            Rights::Guard
        };
        for thread in threads {
            Changing::of(thread).hide(number, range, rights);
        }
    }

    fn show(&self, threads: &'static [Thread], number: usize) {
        for thread in threads {
            Changing::of(thread).show(number);
        }
    }

    fn clear(&self, to: Writable) -> u32 {
        // SAFETY: the typed door has checked the range, which a region can hold: it is aligned.
        let cleared = unsafe { clear(to.address() as *mut u8, to.length() as usize) };
        cleared as u32
    }

    #[inline(always)]
    fn zero(&self) -> u32 {
        let zero;
        // SAFETY: sets a register.
        unsafe {
            core::arch::asm!("movs {}, #0", lateout(reg) zero, options(pure, nomem, nostack))
        };
        zero
    }

    #[inline(always)]
    fn mask(&self, line: u16) {
        nvic::set(NVIC_ICER, line.into());
    }

    #[inline(always)]
    fn unmask(&self, line: u16) {
        nvic::set(NVIC_ISER, line.into());
    }

    fn forget(&self, line: u16) {
        nvic::set(NVIC_ICPR, line.into());
    }

    #[inline(always)]
    fn pend(&self, line: u16) -> bool {
        nvic::trigger(line.into());
        true
    }

    /// The instruction of a call is two bytes long, and the frame holds every other register.
    fn repeat(&self, thread: &Thread) {
        let next = frame_word(thread, frame::PC);
        set_frame_word(thread, frame::PC, next.wrapping_sub(2));
    }

    fn reset(&self, thread: &Thread) {
        let frame = (thread.stack_top as usize & !7) - frame::WORDS * 4;
        thread.frame.set(frame);
        thread.resume.set(PLAIN_RETURN);
        for register in &thread.registers {
            register.set(0);
        }
        let [first, second, third, fourth] = thread.arguments();
        let start = [
            (0, first),
            (1, second),
            (2, third),
            (3, fourth),
            (frame::R12, 0),
            (frame::LR, u32::MAX),
            (frame::PC, thread.entry.get() & !1),
            (frame::XPSR, frame::THUMB),
        ];
        for (index, word) in start {
            set_frame_word(thread, index, word);
        }
    }

    fn reset_machine(&self) {
        registers::reset_machine();
    }

    fn shutdown(&self, code: u32) {
        B::shutdown(code);
    }
}
