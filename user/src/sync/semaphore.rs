//! Counting semaphores.

use crate::{Deadline, Error, futex};

use super::Word;
use super::event::wait_at;

/// A counting semaphore: units that threads give and take.
///
/// While there are units and nobody waits, neither makes a system call. Who waits is woken in order of
/// priority. A unit belongs to nobody: who took it may die, and it is gone; and no thread inherits a
/// priority, for which there is [`super::Mutex`].
///
/// Several processes can use one in memory that they share. All zeros is a semaphore without units.
///
/// ```no_run
/// use riposte::sync::Semaphore;
///
/// static FRAMES: Semaphore = Semaphore::new(0);
///
/// fn produce() -> Result<(), riposte::Error> {
///     FRAMES.give()
/// }
///
/// fn consume() -> Result<(), riposte::Error> {
///     FRAMES.take()
/// }
/// ```
#[derive(Debug, Default)]
#[repr(C)]
pub struct Semaphore {
    units: Word,
    waiting: Word,
}

impl Semaphore {
    /// A semaphore with so many units.
    #[must_use]
    pub const fn new(units: u32) -> Semaphore {
        Semaphore {
            units: Word::new(units),
            waiting: Word::new(0),
        }
    }

    /// How many units there are now.
    #[must_use]
    pub fn units(&self) -> u32 {
        self.units.load()
    }

    /// Adds a unit, and wakes the most urgent thread that waits for one. Never blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if there are 2^32 - 1 units: nothing is added.
    #[inline(always)]
    pub fn give(&self) -> Result<(), Error> {
        let more = |units: u32| units.checked_add(1);
        if self.units.update(more).is_err() {
            return Err(Error::WouldBlock);
        }
        if self.waiting.load() != 0 {
            self.wake();
        }
        Ok(())
    }

    #[inline(never)]
    fn wake(&self) {
        self.wake_one();
    }

    /// The slow half of [`Semaphore::give`]; the C library has the fast one for itself.
    #[doc(hidden)]
    #[inline(always)]
    pub fn wake_one(&self) {
        // The memory is the caller's to name, or it had not got here.
        let _ = futex::wake(&self.units, 1);
    }

    /// Takes a unit if there is one; whether there was. Never blocks.
    #[inline(always)]
    #[must_use = "without a unit, nothing was taken"]
    pub fn try_take(&self) -> bool {
        self.units.update(|units| units.checked_sub(1)).is_ok()
    }

    /// Takes a unit, and blocks until there is one.
    ///
    /// # Errors
    /// What ended the wait early, such as [`Error::Interrupted`]: nothing was taken.
    #[inline(always)]
    pub fn take(&self) -> Result<(), Error> {
        self.take_until(Deadline::None)
    }

    /// Takes a unit, and blocks until there is one, or until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`Semaphore::take`]. Nothing was taken then.
    #[inline(always)]
    pub fn take_until(&self, deadline: Deadline) -> Result<(), Error> {
        if self.try_take() {
            return Ok(());
        }
        self.wait(deadline)
    }

    #[inline(never)]
    fn wait(&self, deadline: Deadline) -> Result<(), Error> {
        self.wait_until(deadline)
    }

    /// The slow half of [`Semaphore::take_until`]; the C library has the fast one for itself.
    #[doc(hidden)]
    #[inline(always)]
    pub fn wait_until(&self, deadline: Deadline) -> Result<(), Error> {
        self.waiting.add(1);
        let mut result = Ok(());
        while result.is_ok() && !self.try_take() {
            result = wait_at(&self.units, 0, deadline);
        }
        self.waiting.add(u32::MAX);
        result
    }
}
