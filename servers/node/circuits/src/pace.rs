//! How long a node waits before it sends something again: by the time that answers have taken (RFC 6298).

/// A millisecond.
pub const MILLI: u64 = 1_000_000;
/// How long an answer of its own frame is held back: the next frame may say it as well.
pub const HELD: u64 = 10 * MILLI;
/// The shortest wait, longer than an answer is held back.
pub const SHORTEST: u64 = 5 * HELD;
/// The wait while no answer has been measured.
const FIRST: u64 = 4 * SHORTEST;
/// The longest.
const LONGEST: u64 = 2000 * MILLI;
/// How often it doubles: more would be longer than the longest.
const MOST_DOUBLED: u32 = 6;

/// The way there and back, as measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    mean: u64,
    deviation: u64,
    /// How often the wait is doubled: until an answer is measured again.
    doubled: u32,
    doubled_at: u64,
}

impl Pace {
    /// An answer to what was sent once has taken so long, without what it was held back for.
    pub fn measured(&mut self, time: u64) {
        let time = time.min(LONGEST);
        self.doubled = 0;
        if self.mean == 0 {
            self.mean = time.max(1);
            self.deviation = time / 2;
            return;
        }
        let off = self.mean.abs_diff(time);
        self.deviation = (3 * self.deviation + off) / 4;
        self.mean = ((7 * self.mean + time) / 8).max(1);
    }

    /// No answer has come in time: from now on the wait is twice as long. Messages whose time is over together double it once.
    pub fn late(&mut self, now: u64) {
        if now >= self.doubled_at.saturating_add(self.wait()) || self.doubled == 0 {
            self.doubled = (self.doubled + 1).min(MOST_DOUBLED);
            self.doubled_at = now;
        }
    }

    /// What was late belongs to a session that has ended.
    pub fn forget_late(&mut self) {
        self.doubled = 0;
    }

    /// How long to wait for an answer.
    #[must_use]
    pub fn wait(&self) -> u64 {
        self.wait_after(self.doubled)
    }

    /// How long to wait for an answer to a question that has been asked so often already.
    #[must_use]
    pub fn wait_after(&self, again: u32) -> u64 {
        let first = if self.mean == 0 {
            FIRST
        } else {
            self.mean + (4 * self.deviation).max(MILLI) + HELD
        };
        (first.max(SHORTEST) << again.min(MOST_DOUBLED)).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST, HELD, LONGEST, MILLI, Pace, SHORTEST};

    #[test]
    fn the_wait_is_that_of_rfc_6298_within_its_bounds() {
        let mut pace = Pace::default();
        assert_eq!(pace.wait(), FIRST);
        // The first one: its half is the deviation.
        pace.measured(100 * MILLI);
        assert_eq!(pace.wait(), 100 * MILLI + 4 * 50 * MILLI + HELD);
        // 7/8 of 100 and 1/8 of 60, and 3/4 of 50 and 1/4 of 40.
        pace.measured(60 * MILLI);
        assert_eq!(pace.wait(), 95 * MILLI + 4 * 47_500_000 + HELD);
        (0..100).for_each(|_| pace.measured(MILLI));
        assert_eq!(pace.wait(), SHORTEST);
        (0..100).for_each(|_| pace.measured(100 * LONGEST));
        assert_eq!(pace.wait(), LONGEST);
    }

    #[test]
    fn the_wait_doubles_once_for_all_that_is_late_together_until_an_answer_is_measured() {
        let mut pace = Pace::default();
        pace.measured(MILLI);
        let mut now = 0;
        for doubled in 1..20 {
            now += LONGEST;
            (0..5).for_each(|_| pace.late(now));
            assert_eq!(pace.wait(), (SHORTEST << doubled.min(6)).min(LONGEST));
        }
        pace.measured(MILLI);
        assert_eq!(pace.wait(), SHORTEST);
    }
}
