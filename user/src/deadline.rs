//! Until when a call may block.

use riposte_abi::info;

use crate::Instant;

/// Until when a call may block.
///
/// A call that can block has up to three forms: `x` blocks as long as it takes, `try_x` does not block, and
/// `x_until` takes a deadline: this, or an [`Instant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// As long as it takes.
    None,
    /// Not at all.
    Immediate,
    /// Until this moment.
    At(Instant),
}

impl From<Instant> for Deadline {
    fn from(moment: Instant) -> Deadline {
        Deadline::At(moment)
    }
}

impl Deadline {
    /// The flag for `INFO`, and `x0` and `x1`.
    pub(crate) fn encode(self) -> (u32, [u32; 2]) {
        let nanoseconds = match self {
            Deadline::None => return (0, [0; 2]),
            Deadline::Immediate => 0,
            // Moment 0 is in the past; so is moment 1, and it doesn't mean "do not block".
            Deadline::At(moment) => moment.as_nanos().max(1),
        };
        (
            info::DEADLINE,
            [nanoseconds as u32, (nanoseconds >> 32) as u32],
        )
    }
}
