//! Monotonic time.

use core::ops::{Add, Sub};

pub use core::time::Duration;
use riposte_abi::call::number;
use riposte_abi::{Error, register};

use crate::failure;

/// A moment, in nanoseconds of monotonic time since the kernel's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Instant {
    /// The moment `nanoseconds` after the kernel's start.
    #[must_use]
    pub const fn from_nanoseconds(nanoseconds: u64) -> Instant {
        Instant(nanoseconds)
    }

    /// Nanoseconds since the kernel's start.
    #[must_use]
    pub const fn nanoseconds(self) -> u64 {
        self.0
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    /// The moment that much later, or the last one there is.
    fn add(self, later: Duration) -> Instant {
        let nanoseconds = u64::try_from(later.as_nanos()).unwrap_or(u64::MAX);
        Instant(self.0.saturating_add(nanoseconds))
    }
}

impl Sub for Instant {
    type Output = Duration;

    /// The time since `earlier`; zero if that is later.
    fn sub(self, earlier: Instant) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Now. Never blocks.
#[must_use]
pub fn clock() -> Instant {
    let out = crate::trap::call(failure::registers(number::CLOCK), [0; 5]);
    Instant(u64::from(out[register::WORD0]) | (u64::from(out[register::WORD1]) << 32))
}

/// Blocks the calling thread until `moment`; returns at once if that has passed.
///
/// # Errors
/// [`Error::Interrupted`] when something ended the sleep early.
pub fn sleep_until(moment: Instant) -> Result<(), Error> {
    let nanoseconds = moment.nanoseconds();
    let extra = [nanoseconds as u32, (nanoseconds >> 32) as u32, 0, 0, 0];
    failure::call(failure::registers(number::SLEEP), extra).map(|_| ())
}

/// Blocks the calling thread for `time`.
///
/// # Errors
/// As [`sleep_until`].
pub fn sleep(time: Duration) -> Result<(), Error> {
    sleep_until(clock() + time)
}
