//! When it is said that frames fit no key.

/// How long after a line the next one may be, in nanoseconds.
pub const PAUSE: u64 = 60_000_000_000;

/// Says how many frames did not fit a key: of the first one at once, and of those that come then once a minute at most. Whoever
/// sends many fills no log with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alarm {
    /// As many as had been counted when it was said last.
    told: u32,
    /// The earliest time at which it is said again, in nanoseconds.
    next: u64,
}

impl Alarm {
    /// Nothing has been said yet.
    #[must_use]
    pub const fn new() -> Alarm {
        Alarm { told: 0, next: 0 }
    }

    /// When something is to be said, if `counted` have been until now.
    #[must_use]
    pub fn due(&self, counted: u32) -> Option<u64> {
        (counted != self.told).then_some(self.next)
    }

    /// How many there are of which nothing was said, if that is to be said now. It counts as done.
    pub fn take(&mut self, now: u64, counted: u32) -> Option<u32> {
        if self.due(counted).is_none_or(|due| now < due) {
            return None;
        }
        let new = counted.wrapping_sub(self.told);
        *self = Alarm {
            told: counted,
            next: now.saturating_add(PAUSE),
        };
        Some(new)
    }
}
