//! A value that one thread at a time uses, which may take it again.

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use super::{Lock, Word};
use crate::{Deadline, Error, trap};

/// A mutex that its holder may take again: as often as it takes it, it gives it up.
///
/// As several guards of one thread can live at the same time, none of them lets change the value:
/// it has `Cell`s. Else it is as [`super::Mutex`], which is cheaper and finds mistakes.
#[derive(Default)]
#[repr(C)]
pub struct RecursiveMutex<T> {
    lock: Lock,
    /// How often the holder has taken it again.
    again: Word,
    value: T,
}

// SAFETY: one thread at a time has references to the value, and each may be another.
unsafe impl<T: Send> Sync for RecursiveMutex<T> {}

/// The value is its holder's to look at.
impl<T> fmt::Debug for RecursiveMutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("RecursiveMutex");
        text.field("lock", &self.lock).finish_non_exhaustive()
    }
}

/// The value of a recursive mutex that the calling thread holds.
#[derive(Debug)]
#[must_use = "the mutex is given up at once"]
pub struct RecursiveGuard<'m, T> {
    mutex: &'m RecursiveMutex<T>,
    /// A guard is its thread's.
    _thread: PhantomData<*mut ()>,
}

impl<T> RecursiveMutex<T> {
    /// A free mutex with this value.
    #[must_use]
    pub const fn new(value: T) -> RecursiveMutex<T> {
        RecursiveMutex {
            lock: Lock::new(),
            again: Word::new(0),
            value,
        }
    }

    /// Takes the mutex, and blocks until it is free or the caller's.
    ///
    /// # Errors
    /// [`Error::Deadlock`] if the holder waits for the caller in the end; [`Error::WouldBlock`] if the
    /// caller has taken it 2^32 - 1 times.
    pub fn lock(&self) -> Result<RecursiveGuard<'_, T>, Error> {
        self.lock_until(Deadline::None)
    }

    /// Takes the mutex if it is free or the caller's. Never blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if somebody else holds it; and as [`RecursiveMutex::lock`].
    pub fn try_lock(&self) -> Result<RecursiveGuard<'_, T>, Error> {
        self.lock_until(Deadline::Immediate)
    }

    /// Takes the mutex, and blocks until it is free or the caller's, or until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`RecursiveMutex::lock`].
    pub fn lock_until(
        &self,
        deadline: impl Into<Deadline>,
    ) -> Result<RecursiveGuard<'_, T>, Error> {
        let deadline = deadline.into();
        if self.lock.is_held_by(trap::thread_id()) {
            let more = |again: u32| again.checked_add(1);
            self.again.update(more).map_err(|_| Error::WouldBlock)?;
        } else {
            // The last guard gives it up, whichever that is.
            core::mem::forget(self.lock.hold(deadline)?);
            // A holder that died may have left its count.
            self.again.store(0);
        }
        Ok(RecursiveGuard {
            mutex: self,
            _thread: PhantomData,
        })
    }
}

impl<T> RecursiveGuard<'_, T> {
    /// Whether a thread died with the mutex, and nobody has [repaired](RecursiveGuard::repaired) the
    /// value since.
    #[must_use]
    pub fn owner_died(&self) -> bool {
        self.mutex.lock.owner_died()
    }

    /// The value is in order again: whoever takes the mutex next is told nothing.
    pub fn repaired(&self) {
        self.mutex.lock.repaired();
    }
}

impl<T> Deref for RecursiveGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.mutex.value
    }
}

impl<T> Drop for RecursiveGuard<'_, T> {
    fn drop(&mut self) {
        let fewer = |again: u32| again.checked_sub(1);
        if self.mutex.again.update(fewer).is_err() {
            // SAFETY: this thread has taken the lock and forgotten it, and no other guard is left.
            unsafe { self.mutex.lock.release() };
        }
    }
}
