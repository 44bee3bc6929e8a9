//! Counting semaphores.

use riposte_abi::semaphore::{MAX_UNITS, WAITERS};

use crate::{Deadline, Error, futex};

use super::Word;

/// A counting semaphore: units that threads give and take.
///
/// While there are units and nobody waits, neither makes a system call. Who waits is served in order of
/// priority: a unit that is given goes to it, and nobody who comes later can take it. A unit belongs to
/// nobody: who took it may die, and it is gone; and no thread inherits a priority, for which there is
/// [`super::Mutex`].
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
#[repr(transparent)]
pub struct Semaphore {
    /// As [`riposte_abi::semaphore`] has it.
    word: Word,
}

impl Semaphore {
    /// A semaphore with so many units, at most 2^31 - 1.
    ///
    /// # Panics
    /// They are more.
    #[must_use]
    pub const fn new(units: u32) -> Semaphore {
        assert!(units <= MAX_UNITS, "a semaphore has at most 2^31 - 1 units");
        Semaphore {
            word: Word::new(units),
        }
    }

    /// How many units there are now.
    #[must_use]
    pub fn units(&self) -> u32 {
        self.word.load() & MAX_UNITS
    }

    /// Adds a unit, or gives it to the most urgent thread that waits for one, and wakes that. Never
    /// blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if there are 2^31 - 1 units: nothing is added.
    #[inline(always)]
    pub fn give(&self) -> Result<(), Error> {
        let units = self.word.load();
        let Some(more) = one_more(units) else {
            return futex::give_aside(&self.word);
        };
        if self.word.compare_exchange(units, more).is_ok() {
            return Ok(());
        }
        self.give_again()
    }

    /// As [`Semaphore::give`], after another thread was faster.
    #[cold]
    #[inline(never)]
    fn give_again(&self) -> Result<(), Error> {
        match self.word.update(one_more) {
            Ok(_) => Ok(()),
            Err(_) => futex::give_aside(&self.word),
        }
    }

    /// Takes a unit if there is one; whether there was. Never blocks.
    #[inline(always)]
    #[must_use = "without a unit, nothing was taken"]
    pub fn try_take(&self) -> bool {
        let units = self.word.load();
        let Some(fewer) = one_fewer(units) else {
            return false;
        };
        self.word.compare_exchange(units, fewer).is_ok() || self.try_take_again()
    }

    /// As [`Semaphore::try_take`], after another thread was faster.
    #[cold]
    #[inline(never)]
    fn try_take_again(&self) -> bool {
        self.word.update(one_fewer).is_ok()
    }

    /// Takes a unit, and blocks until there is one.
    ///
    /// # Errors
    /// What ended the wait early, such as [`Error::Interrupted`]: nothing was taken.
    #[inline(always)]
    pub fn take(&self) -> Result<(), Error> {
        let units = self.word.load();
        if let Some(fewer) = one_fewer(units) {
            if self.word.compare_exchange(units, fewer).is_ok() || self.try_take_again() {
                return Ok(());
            }
        } else if units == WAITERS {
            // Others have waited: it need not be said again.
            match futex::wait_aside(&self.word, WAITERS) {
                Err(Error::WouldBlock) => {}
                result => return result,
            }
        }
        self.wait(Deadline::None)
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
        loop {
            if deadline == Deadline::Immediate {
                return Err(Error::WouldBlock);
            }
            // Who is woken has a unit; if the word has changed, there may be one.
            if self.announce() {
                match futex::wait(&self.word, WAITERS, deadline) {
                    Err(Error::WouldBlock) => {}
                    result => return result,
                }
            }
            if self.try_take() {
                return Ok(());
            }
        }
    }

    /// Says that somebody waits, unless there are units; whether it says so.
    #[inline(always)]
    fn announce(&self) -> bool {
        self.word.load() == WAITERS || self.word.compare_exchange(0, WAITERS).is_ok()
    }
}

/// What a semaphore holds with a unit more, if nobody waits and there is room for it.
#[inline(always)]
fn one_more(units: u32) -> Option<u32> {
    let more = units.wrapping_add(1);
    (more.cast_signed() > 0).then_some(more)
}

/// What a semaphore holds with a unit less, if there is one.
#[inline(always)]
fn one_fewer(units: u32) -> Option<u32> {
    (units & MAX_UNITS != 0).then(|| units - 1)
}
