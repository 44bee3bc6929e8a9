//! What an instance does, as its number says, and what has come of it.

use core::fmt::{Debug, Write};
use core::panic::Location;

use check::{Digest, Random};

/// Bits of a status that are a digest. The judge knows the others.
const STATUS: u32 = 0x00FF_FFFF;
/// A status that says that something came of a call which must not; with the line.
const BROKEN: u32 = 0xBAD0_0000;

/// What is to come, and what has come of it.
pub struct Story {
    random: Random,
    digest: Digest,
}

impl Story {
    /// That of this number.
    #[must_use]
    pub fn new(number: u32) -> Story {
        Story {
            random: Random::new(number),
            digest: Digest::new(),
        }
    }

    /// What is next, of so many.
    pub fn draw(&mut self, of: u32) -> u32 {
        self.random.below(of)
    }

    /// Something has come out so.
    pub fn tell(&mut self, number: u32) {
        self.digest.add(number);
    }

    /// A call has come out so. An error that is none of those that may be ends the process.
    #[track_caller]
    pub fn meets<T, E: Debug>(
        &mut self,
        outcome: Result<T, E>,
        may_be: impl Fn(&E) -> bool,
    ) -> Option<T> {
        match outcome {
            Ok(value) => {
                self.digest.add(0);
                Some(value)
            }
            Err(error) if may_be(&error) => {
                let _ = write!(self.digest, "{error:?}");
                None
            }
            Err(_) => riposte::exit(BROKEN | Location::caller().line()),
        }
    }

    /// With what to exit.
    #[must_use]
    pub fn status(&self) -> u32 {
        self.digest.value() & STATUS
    }
}
