//! Blocks of memory of one size.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

use super::Word;
use super::event::Event;
use crate::{Deadline, Error};

/// A pool of `N` blocks for values of one type. To take one and to give it back each take the same few
/// instructions, however many there are, and no system call while nobody waits. Who waits for a block
/// gets one in order of priority.
///
/// It is for the threads of one process. Who dies while it takes a block or gives one back has done so, or
/// not; nobody waits for it.
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
pub struct Pool<T, const N: usize> {
    state: PoolState,
    links: Links<N>,
    blocks: [UnsafeCell<MaybeUninit<T>>; N],
}

/// The list of the free blocks that were taken before.
#[repr(C)]
struct Links<const N: usize> {
    /// Where the word of the first one is, in bytes behind this one; 0: there is none.
    first: Word,
    /// A word for each block: where the next one's is, in the same way.
    next: [Word; N],
}

/// A pool but for its blocks and their list, whoever has those. The C library has them, and the fast
/// halves of what follows, for itself.
///
/// To take a block is one step, and so is to give one back: the first word of the list changes, and
/// nothing else that anybody looks at.
#[doc(hidden)]
#[derive(Debug)]
#[repr(C)]
pub struct PoolState {
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
    const IS_FIT: () = assert!(N < 1 << 29, "a pool has less than 2^29 blocks");

    /// A pool all of whose blocks are free.
    #[must_use]
    pub const fn new() -> Pool<T, N> {
        let () = Self::IS_FIT;
        Pool {
            state: PoolState {
                fresh: Word::new(0),
                freed: Event::new(),
            },
            links: Links {
                first: Word::new(0),
                next: [const { Word::new(0) }; N],
            },
            blocks: [const { UnsafeCell::new(MaybeUninit::uninit()) }; N],
        }
    }

    /// Puts `value` into a free block, if there is one. Never blocks for a block.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if none is free.
    #[inline(always)]
    pub fn try_allocate(&self, value: T) -> Result<PoolBox<'_, T, N>, Error> {
        // SAFETY: they are this pool's.
        let index = unsafe { self.state.take(self.links.words()) }?;
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
    pub fn allocate_until(
        &self,
        value: T,
        deadline: impl Into<Deadline>,
    ) -> Result<PoolBox<'_, T, N>, Error> {
        let deadline = deadline.into();
        let links = self.links.words();
        // SAFETY: they are this pool's.
        let index = match unsafe { self.state.take(links) } {
            // SAFETY: as above.
            Err(Error::WouldBlock) => unsafe { self.state.wait(links, deadline) }?,
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

impl<const N: usize> Links<N> {
    /// All of its words.
    #[inline(always)]
    fn words(&self) -> &[Word] {
        // SAFETY: these are words alone, one behind the other.
        unsafe { core::slice::from_raw_parts(core::ptr::from_ref(self).cast(), N + 1) }
    }
}

/// Where the word of block `index` is, in bytes behind the list's first one.
#[inline(always)]
fn place(index: u32) -> u32 {
    (index + 1) * size_of::<Word>() as u32
}

impl PoolState {
    /// Takes a block, and blocks until one is free.
    ///
    /// # Safety
    /// As [`PoolState::take`].
    #[inline(never)]
    #[expect(clippy::missing_errors_doc, reason = "as Pool::allocate_until")]
    pub unsafe fn wait(&self, links: &[Word], deadline: Deadline) -> Result<u32, Error> {
        // SAFETY: the caller's promise.
        let take = || unsafe { self.take(links) };
        self.freed.until_done(take, deadline)
    }

    /// Takes a block, of a pool whose list is in `links`: one word more than there are blocks.
    ///
    /// # Safety
    /// The links are the pool's, zero at first, and nothing but these functions changes them.
    #[inline(always)]
    #[expect(clippy::missing_errors_doc, reason = "as Pool::try_allocate")]
    pub unsafe fn take(&self, links: &[Word]) -> Result<u32, Error> {
        // SAFETY: there is a first word, and by the caller's promise `give` alone puts something on the list: places of words
        // behind it.
        match unsafe { Word::unlink(links) } {
            0 => self.take_fresh(links),
            place => Ok(place / size_of::<Word>() as u32 - 1),
        }
    }

    #[cold]
    #[inline(never)]
    fn take_fresh(&self, links: &[Word]) -> Result<u32, Error> {
        let next = |fresh| (fresh as usize + 1 < links.len()).then(|| fresh + 1);
        self.fresh.update(next).map_err(|_| Error::WouldBlock)
    }

    /// Gives a block back.
    ///
    /// # Safety
    /// As [`PoolState::take`]; the block was taken, and is not used any more.
    #[inline(always)]
    pub unsafe fn give(&self, links: &[Word], index: u32) {
        let [first, next @ ..] = links else {
            return;
        };
        let Some(link) = next.get(index as usize) else {
            return;
        };
        // However often the list changes meanwhile, the store that puts the block there finds it as the
        // block's own word says.
        let put = first.update(|next| {
            link.store(next);
            Some(place(index))
        });
        debug_assert!(put.is_ok());
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
        // SAFETY: the links are the pool's; the block was this box's.
        unsafe { self.pool.state.give(self.pool.links.words(), self.index) };
    }
}

impl<T: core::fmt::Debug, const N: usize> core::fmt::Debug for PoolBox<'_, T, N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        (**self).fmt(f)
    }
}
