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
        let more = |units: u32| (units < MAX_UNITS).then(|| units + 1);
        if self.word.update(more).is_ok() {
            return Ok(());
        }
        self.hand_over()
    }

    #[inline(never)]
    fn hand_over(&self) -> Result<(), Error> {
        match futex::give(&self.word) {
            // Nobody waits where there is no such call: there are as many units as there can be.
            Err(Error::BadCall) => Err(Error::WouldBlock),
            result => result.map(drop),
        }
    }

    /// Takes a unit if there is one; whether there was. Never blocks.
    #[inline(always)]
    #[must_use = "without a unit, nothing was taken"]
    pub fn try_take(&self) -> bool {
        let fewer = |word: u32| (word & MAX_UNITS != 0).then(|| word - 1);
        self.word.update(fewer).is_ok()
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
    pub fn take_until(&self, deadline: impl Into<Deadline>) -> Result<(), Error> {
        let deadline = deadline.into();
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
                match futex::ask(&self.word, WAITERS, deadline) {
                    Err(Error::WouldBlock) => {}
                    Err(Error::BadCall) => return Err(self.wait_alone(deadline)),
                    result => return result,
                }
            }
            if self.try_take() {
                return Ok(());
            }
        }
    }

    /// Where the kernel has no calls for words. Nobody is to be handed a unit there, so that the word must not say that
    /// somebody waits.
    #[cold]
    #[inline(never)]
    fn wait_alone(&self, deadline: Deadline) -> Error {
        self.word.and(!WAITERS);
        futex::wait_alone(&self.word, 0, deadline)
    }

    /// Says that somebody waits, unless there are units; whether it says so.
    #[inline(always)]
    fn announce(&self) -> bool {
        self.word.load() == WAITERS || self.word.compare_exchange(0, WAITERS).is_ok()
    }
}
