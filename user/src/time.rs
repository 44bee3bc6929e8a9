//! Monotonic time.

use core::ops::{Add, AddAssign, Sub, SubAssign};

pub use core::time::Duration;
use riposte_abi::Error;
use riposte_abi::call::number;

use crate::{failure, trap};

/// A moment, in nanoseconds of monotonic time since the kernel's start. All processes have the same
/// clock. There is a first and a last one: arithmetic that goes beyond stops there, and its `checked_`
/// forms say so.
///
/// ```no_run
/// use riposte::{Duration, Instant};
///
/// let begin = Instant::now();
/// let deadline = begin + Duration::from_millis(5);
/// riposte::sleep_until(deadline).unwrap();
/// assert!(begin.elapsed() >= Duration::from_millis(5));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Instant {
    /// The kernel's start.
    pub const START: Instant = Instant(0);
    /// The last moment there is, 584 years later.
    pub const MAX: Instant = Instant(u64::MAX);

    /// Now. Never blocks.
    #[must_use]
    pub fn now() -> Instant {
        let (_, [low, high]) = trap::about(number::CLOCK, 0, 0);
        Instant(u64::from(low) | u64::from(high) << 32)
    }

    /// The moment so many nanoseconds after the kernel's start.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Instant {
        Instant(nanos)
    }

    /// Nanoseconds since the kernel's start.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The time since then; zero if it is to come. Never blocks.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Instant::now().duration_since(self)
    }

    /// The time since `earlier`; zero if that is later.
    #[must_use]
    pub const fn duration_since(self, earlier: Instant) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// The time since `earlier`; none if that is later.
    #[must_use]
    pub fn checked_duration_since(self, earlier: Instant) -> Option<Duration> {
        self.0.checked_sub(earlier.0).map(Duration::from_nanos)
    }

    /// The moment so much later, if there is one.
    #[must_use]
    pub fn checked_add(self, time: Duration) -> Option<Instant> {
        let nanos = u64::try_from(time.as_nanos()).ok()?;
        self.0.checked_add(nanos).map(Instant)
    }

    /// The moment so much earlier, if there is one.
    #[must_use]
    pub fn checked_sub(self, time: Duration) -> Option<Instant> {
        let nanos = u64::try_from(time.as_nanos()).ok()?;
        self.0.checked_sub(nanos).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    /// The moment so much later, or the last one there is.
    fn add(self, later: Duration) -> Instant {
        self.checked_add(later).unwrap_or(Instant::MAX)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, later: Duration) {
        *self = *self + later;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    /// The moment so much earlier, or the kernel's start.
    fn sub(self, earlier: Duration) -> Instant {
        self.checked_sub(earlier).unwrap_or(Instant::START)
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, earlier: Duration) {
        *self = *self - earlier;
    }
}

impl Sub for Instant {
    type Output = Duration;

    /// The time since `earlier`; zero if that is later.
    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

/// Blocks the calling thread until `moment`; returns at once if that has passed.
///
/// # Errors
/// [`Error::Interrupted`] when something ended the sleep early.
pub fn sleep_until(moment: Instant) -> Result<(), Error> {
    let nanos = moment.as_nanos();
    let moment = [nanos as u32, (nanos >> 32) as u32];
    failure::perform_at(number::SLEEP, 0, [], moment).map(drop)
}

/// Blocks the calling thread for `time`.
///
/// # Errors
/// As [`sleep_until`].
pub fn sleep(time: Duration) -> Result<(), Error> {
    sleep_until(Instant::now() + time)
}

#[cfg(test)]
mod tests {
    use super::{Duration, Instant};

    #[test]
    fn moments_and_durations_add_up() {
        let moment = Instant::from_nanos(5_000_000_000);
        let second = Duration::from_secs(1);
        assert_eq!((moment + second).as_nanos(), 6_000_000_000);
        assert_eq!((moment - second).as_nanos(), 4_000_000_000);
        assert_eq!(moment + second - moment, second);
        let mut moved = moment;
        moved += second;
        moved -= second + second;
        assert_eq!(moment - moved, second);
        assert_eq!(moved.checked_duration_since(moment), None);
        assert_eq!(moment.checked_duration_since(moved), Some(second));
    }

    #[test]
    fn what_is_earlier_is_no_time_ago_in_the_other_direction() {
        let (earlier, later) = (Instant::from_nanos(1), Instant::from_nanos(2));
        assert_eq!(earlier - later, Duration::ZERO);
        assert_eq!(earlier.duration_since(later), Duration::ZERO);
    }

    #[test]
    fn there_is_no_moment_before_the_start_or_beyond_64_bits() {
        let nano = Duration::from_nanos(1);
        assert_eq!(Instant::START.checked_sub(nano), None);
        assert_eq!(Instant::MAX.checked_add(nano), None);
        assert_eq!(Instant::START.checked_add(Duration::MAX), None);
        assert_eq!(Instant::MAX + Duration::MAX, Instant::MAX);
        assert_eq!(Instant::START - nano, Instant::START);
        assert_eq!(
            Instant::MAX.checked_sub(Duration::from_nanos(u64::MAX)),
            Some(Instant::START)
        );
    }
}
