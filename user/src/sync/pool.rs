//! Blocks of memory of one size.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

use super::event::Event;
use super::{Lock, Word};
use crate::{Deadline, Error};

/// A pool of `N` blocks for values of one type. To take one and to give it back each take the same few
/// instructions, however many there are, and no system call while nobody waits. Who waits for a block
/// gets one in order of priority.
///
/// It is for the threads of one process.
///
/// ```no_run
/// use riposte::sync::{Pool, PoolBox, Queue};
///
/// type Frame = [u8; 256];
/// static FRAMES: Pool<Frame, 4> = Pool::new();
/// static FILLED: Queue<PoolBox<Frame, 4>, 4> = Queue::new();
///
/// fn fill(byte: u8) -> Result<(), riposte::Error> {
///     let frame = FRAMES.allocate([byte; 256])?;
///     FILLED.send(frame).map_err(|not_sent| not_sent.error)
/// }
/// ```
#[repr(C)]
pub struct Pool<T, const N: usize> {
    state: PoolState,
    /// Behind each free block comes this one, and 1.
    next: [Word; N],
    blocks: [UnsafeCell<MaybeUninit<T>>; N],
}

/// A pool but for its blocks, whoever has those. The C library has them for itself.
#[doc(hidden)]
#[derive(Debug)]
#[repr(C)]
pub struct PoolState {
    lock: Lock,
    /// The free block to be taken next, and 1; 0: none was given back.
    free: Word,
    /// Blocks that were taken at least once: the first ones.
    fresh: Word,
    freed: Event,
}

// SAFETY: a block is used by whoever has its box, which may be another thread.
unsafe impl<T: Send, const N: usize> Sync for Pool<T, N> {}

/// A block of a pool, with a value. Dropping it gives the block back.
pub struct PoolBox<'p, T, const N: usize> {
    pool: &'p Pool<T, N>,
    index: u32,
}

// SAFETY: a box is the only way to its value, as the value itself would be.
unsafe impl<T: Send, const N: usize> Send for PoolBox<'_, T, N> {}
// SAFETY: as above.
unsafe impl<T: Sync, const N: usize> Sync for PoolBox<'_, T, N> {}

impl<T, const N: usize> Pool<T, N> {
    const IS_FIT: () = assert!(N < 1 << 31, "a pool has less than 2^31 blocks");

    /// A pool all of whose blocks are free.
    #[must_use]
    pub const fn new() -> Pool<T, N> {
        let () = Self::IS_FIT;
        Pool {
            state: PoolState {
                lock: Lock::new(),
                free: Word::new(0),
                fresh: Word::new(0),
                freed: Event::new(),
            },
            next: [const { Word::new(0) }; N],
            blocks: [const { UnsafeCell::new(MaybeUninit::uninit()) }; N],
        }
    }

    /// Puts `value` into a free block, if there is one. Never blocks for a block.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if none is free.
    #[inline(always)]
    pub fn try_allocate(&self, value: T) -> Result<PoolBox<'_, T, N>, Error> {
        let index = self.state.take(&self.next)?;
        // SAFETY: the block was free, and is the caller's alone from now on.
        unsafe { self.block(index).write(MaybeUninit::new(value)) };
        Ok(PoolBox { pool: self, index })
    }

    /// Puts `value` into a block, and blocks until one is free.
    ///
    /// # Errors
    /// What ended the wait early, such as [`Error::Interrupted`].
    #[inline(always)]
    pub fn allocate(&self, value: T) -> Result<PoolBox<'_, T, N>, Error> {
        self.allocate_until(value, Deadline::None)
    }

    /// As [`Pool::allocate`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`Pool::allocate`].
    #[inline(always)]
    pub fn allocate_until(&self, value: T, deadline: Deadline) -> Result<PoolBox<'_, T, N>, Error> {
        let index = match self.state.take(&self.next) {
            Err(Error::WouldBlock) => self.state.wait(&self.next, deadline)?,
            taken => taken?,
        };
        // SAFETY: as in `try_allocate`.
        unsafe { self.block(index).write(MaybeUninit::new(value)) };
        Ok(PoolBox { pool: self, index })
    }

    #[inline(always)]
    fn block(&self, index: u32) -> *mut MaybeUninit<T> {
        self.blocks[index as usize].get()
    }
}

impl PoolState {
    /// Takes a block, and blocks until one is free.
    #[inline(never)]
    #[expect(clippy::missing_errors_doc, reason = "as Pool::allocate_until")]
    pub fn wait(&self, next: &[Word], deadline: Deadline) -> Result<u32, Error> {
        self.freed.until_done(|| self.take(next), deadline)
    }

    /// Takes a block. Each step is one store: who dies in between has taken none.
    #[inline(always)]
    #[expect(clippy::missing_errors_doc, reason = "as Pool::try_allocate")]
    pub fn take(&self, next: &[Word]) -> Result<u32, Error> {
        let _held = self.lock.hold_shortly(Deadline::None)?;
        if let Some(index) = self.free.load().checked_sub(1)
            && let Some(behind) = next.get(index as usize)
        {
            self.free.store(behind.load());
            return Ok(index);
        }
        let fresh = self.fresh.load();
        if fresh as usize >= next.len() {
            return Err(Error::WouldBlock);
        }
        self.fresh.store(fresh + 1);
        Ok(fresh)
    }

    /// Gives a block back.
    #[inline(always)]
    pub fn give(&self, next: &[Word], index: u32) {
        // Nobody holds this lock and waits for anything; if it fails, the block is lost.
        let Ok(held) = self.lock.hold_shortly(Deadline::None) else {
            return;
        };
        if let Some(behind) = next.get(index as usize) {
            behind.store(self.free.load());
            self.free.store(index + 1);
        }
        drop(held);
        self.freed.signal(1);
    }
}

impl<T, const N: usize> Default for Pool<T, N> {
    fn default() -> Self {
        Pool::new()
    }
}

impl<T, const N: usize> core::fmt::Debug for Pool<T, N> {
    /// How large it is; not what is in it.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Pool({N} blocks)")
    }
}

impl<T, const N: usize> Deref for PoolBox<'_, T, N> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: `allocate` has put a value there, and this box alone leads to it.
        unsafe { (*self.pool.block(self.index)).assume_init_ref() }
    }
}

impl<T, const N: usize> DerefMut for PoolBox<'_, T, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { (*self.pool.block(self.index)).assume_init_mut() }
    }
}

impl<T, const N: usize> Drop for PoolBox<'_, T, N> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: as above, and nobody uses the value after this.
        unsafe { (*self.pool.block(self.index)).assume_init_drop() };
        self.pool.state.give(&self.pool.next, self.index);
    }
}

impl<T: core::fmt::Debug, const N: usize> core::fmt::Debug for PoolBox<'_, T, N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        (**self).fmt(f)
    }
}
