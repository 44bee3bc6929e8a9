//! A value that one thread at a time uses.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

use super::Lock;
use super::lock::Held;
use crate::{Deadline, Error};

/// A value that one thread at a time uses: a [`Lock`], which see for priorities and deaths, and what it
/// protects.
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
    /// [`Error::Deadlock`] if the holder waits for the caller in the end, or is the caller.
    #[inline(always)]
    pub fn lock(&self) -> Result<MutexGuard<'_, T>, Error> {
        self.lock_until(Deadline::None)
    }

    /// Takes the mutex if it is free. Never blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if somebody holds it; [`Error::Deadlock`] if that is the caller.
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
    pub fn lock_until(&self, deadline: Deadline) -> Result<MutexGuard<'_, T>, Error> {
        Ok(MutexGuard {
            mutex: self,
            _held: self.lock.hold(deadline)?,
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
    /// Whether a thread died with the mutex, and nobody has [repaired](MutexGuard::repaired) the value
    /// since.
    #[inline(always)]
    #[must_use]
    pub fn owner_died(&self) -> bool {
        self.mutex.lock.owner_died()
    }

    /// The value is in order again: whoever takes the mutex next is told nothing.
    pub fn repaired(&self) {
        self.mutex.lock.repaired();
    }

    /// Whose value it is.
    pub(super) fn mutex(&self) -> &'m Mutex<T> {
        self.mutex
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: this thread holds the lock, and has no reference that is not borrowed from this.
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
