//! What the port keeps of a thread, beyond what the kernel's own object holds.

use core::cell::Cell;

use riposte_kernel::Thread;

use crate::protection::Image;

/// Positions in [`Context::saved`].
pub(crate) mod saved {
    /// `t0` to `t2` follow.
    pub const RA: usize = 0;
    pub const S0: usize = 4;
    pub const S1: usize = 5;
    /// `a0` to `a7` follow each other.
    pub const A0: usize = 6;
    pub const S10: usize = 14;
    /// `t3` to `t6` follow.
    pub const S11: usize = 15;
    pub const COUNT: usize = 20;
    /// The number of the register x*n* of each position.
    pub const NUMBERS: [usize; COUNT] = [
        1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 26, 27, 28, 29, 30, 31,
    ];
}

/// What the port keeps of a thread. [`Thread::protection`] points to it.
///
/// A thread that a call has suspended has only its `s0`, `s1` and the call's extra registers here. One that was
/// preempted, or has not begun, or repeats its call, has all its registers but the message registers, `sp` and
/// `pc` ([`Context::whole`]).
///
/// What a switch needs comes first: with page tables, in the first two lines of a cache.
#[repr(C)]
#[cfg_attr(sv32, repr(align(32)))]
pub struct Context {
    /// `gp` and `tp` whenever it runs: the thread's id; and where its thread-local storage is, or 0.
    pub(crate) pointers: [Cell<u32>; 2],
    /// What it may touch.
    pub(crate) image: Image,
    /// Not 0 if all its registers are to be loaded when it runs next.
    pub(crate) whole: Cell<u32>,
    /// See [`saved`].
    pub(crate) saved: [Cell<u32>; saved::COUNT],
    /// Where the restartable sequences of its program begin, and their length in bytes.
    pub(crate) restartable: [u32; 2],
}

impl Context {
    /// The context of a thread that may touch what `image` says, whose program has restartable
    /// sequences at `restartable` (an address, and a length in bytes), and whose thread-local storage is at
    /// `storage`.
    #[must_use]
    pub const fn new(image: Image, restartable: [u32; 2], storage: u32) -> Self {
        Self {
            whole: Cell::new(0),
            saved: [const { Cell::new(0) }; saved::COUNT],
            pointers: [Cell::new(0), Cell::new(storage)],
            image,
            restartable,
        }
    }

    /// That of `thread`.
    #[inline(always)]
    pub(crate) fn of(thread: &Thread) -> &Context {
        // SAFETY: the generated configuration makes every thread's `protection` point to a static
        // `Context` of its own; only the kernel touches it, which is never preempted.
        unsafe { &*thread.protection.cast() }
    }
}
