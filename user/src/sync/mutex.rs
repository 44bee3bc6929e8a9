//! A value that one thread at a time uses.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

use super::Lock;
use super::lock::Held;
use crate::{Deadline, Error};

/// A value that one thread at a time uses: a [`Lock`], which see for priorities, and what it protects.
///
/// A thread that returns has dropped its guards. One that has leaked a guard ([`core::mem::forget`] and the
/// like) ends with the mutex, and may have left a reference to the value in other threads: nobody gets the
/// value then any more ([`Error::PeerDied`]), unless [`Mutex::recover`] promises that there is none.
///
/// ```no_run
/// use riposte::sync::Mutex;
///
/// static TOTAL: Mutex<u64> = Mutex::new(0);
///
/// fn count(more: u64) -> Result<u64, riposte::Error> {
///     let mut total = TOTAL.lock()?;
///     *total += more;
///     Ok(*total)
/// }
/// ```
#[derive(Debug, Default)]
#[repr(C)]
pub struct Mutex<T> {
    lock: Lock,
    value: UnsafeCell<T>,
}

// SAFETY: one thread at a time has a reference to the value, and each may be another.
unsafe impl<T: Send> Sync for Mutex<T> {}

/// The value of a mutex that the calling thread holds. The mutex is given up when this is dropped.
#[derive(Debug)]
#[must_use = "the mutex is given up at once"]
pub struct MutexGuard<'m, T> {
    mutex: &'m Mutex<T>,
    _held: Held<'m>,
}

impl<T> Mutex<T> {
    /// A free mutex with this value.
    #[must_use]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            lock: Lock::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// Takes the mutex, and blocks until it is free.
    ///
    /// # Errors
    /// [`Error::Deadlock`] if the holder waits for the caller in the end, or is the caller;
    /// [`Error::PeerDied`] if a thread has ended with it.
    #[inline(always)]
    pub fn lock(&self) -> Result<MutexGuard<'_, T>, Error> {
        self.lock_until(Deadline::None)
    }

    /// Takes the mutex if it is free. Never blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if somebody holds it; [`Error::Deadlock`] if that is the caller;
    /// [`Error::PeerDied`] if a thread has ended with it.
    #[inline(always)]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, Error> {
        self.lock_until(Deadline::Immediate)
    }

    /// Takes the mutex, and blocks until it is free, or until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`Mutex::lock`].
    #[inline(always)]
    pub fn lock_until(&self, deadline: impl Into<Deadline>) -> Result<MutexGuard<'_, T>, Error> {
        let deadline = deadline.into();
        Ok(MutexGuard {
            mutex: self,
            _held: self.lock.hold_intact(deadline)?,
        })
    }

    /// Takes a mutex that a thread has ended with, and blocks until it is free. From then on it is as any
    /// other.
    ///
    /// # Safety
    /// Nothing that was borrowed from a guard of the thread that has ended is used any more.
    ///
    /// # Errors
    /// [`Error::Deadlock`] as [`Mutex::lock`].
    pub unsafe fn recover(&self) -> Result<MutexGuard<'_, T>, Error> {
        let held = self.lock.hold(Deadline::None)?;
        self.lock.repaired();
        Ok(MutexGuard {
            mutex: self,
            _held: held,
        })
    }

    /// The value, which nobody else can have now.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value, without the mutex.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<'m, T> MutexGuard<'m, T> {
    /// Whose value it is.
    pub(super) fn mutex(&self) -> &'m Mutex<T> {
        self.mutex
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: this thread holds the lock, and has no reference that is not borrowed from this. Nor has
        // any other: earlier holders gave it up with their guards, or `recover` was promised so.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.mutex.value.get() }
    }
}

// SAFETY: a shared guard gives shared references to the value alone.
unsafe impl<T: Sync> Sync for MutexGuard<'_, T> {}
