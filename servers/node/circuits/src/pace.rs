//! How long a node waits before it sends something again: by the time that answers have taken.

/// A millisecond.
pub const MILLI: u64 = 1_000_000;
/// How long an answer of its own frame is held back: the next frame may say it as well.
pub const HELD: u64 = 10 * MILLI;
/// The shortest wait, longer than an answer is held back.
const SHORTEST: u64 = 5 * HELD;
/// The longest.
const LONGEST: u64 = 2000 * MILLI;

/// The way there and back, as measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    mean: u64,
    deviation: u64,
}

impl Pace {
    /// An answer has taken so long, without what it was held back for (RFC 6298).
    pub fn measured(&mut self, time: u64) {
        let time = time.min(LONGEST);
        if self.mean == 0 {
            *self = Pace {
                mean: time.max(1),
                deviation: time / 2,
            };
            return;
        }
        let off = self.mean.abs_diff(time);
        self.deviation = (3 * self.deviation + off) / 4;
        self.mean = (7 * self.mean + time) / 8;
    }

    /// How long to wait for an answer to what has been sent so often again.
    #[must_use]
    pub fn wait(&self, again: u32) -> u64 {
        let first = if self.mean == 0 {
            2 * SHORTEST
        } else {
            self.mean + (4 * self.deviation).max(MILLI) + HELD
        };
        (first.max(SHORTEST) << again.min(6)).min(LONGEST)
    }
}
