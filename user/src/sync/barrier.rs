//! Threads that wait for each other at the same place.

use super::event::Event;
use super::{Lock, Word};
use crate::{Deadline, Error};

/// A barrier: so many threads wait at it until all have come. Then it begins anew.
///
/// A thread that dies waiting has come; its place in the next round stays empty. Several processes can
/// use one in memory that they share.
///
/// ```no_run
/// use riposte::sync::Barrier;
///
/// static START: Barrier = Barrier::new(3);
///
/// fn begin() -> Result<(), riposte::Error> {
///     if START.wait()? {
///         riposte::println!("all three are here");
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug)]
#[repr(C)]
pub struct Barrier {
    lock: Lock,
    threads: Word,
    /// How many have come.
    come: Word,
    /// How often all have come.
    rounds: Word,
    complete: Event,
}

impl Barrier {
    /// A barrier for so many threads. For 0 or 1 nobody waits.
    #[must_use]
    pub const fn new(threads: u32) -> Barrier {
        Barrier {
            lock: Lock::new(),
            threads: Word::new(threads),
            come: Word::new(0),
            rounds: Word::new(0),
            complete: Event::new(),
        }
    }

    /// Blocks until all have come; whether the caller was the last of them.
    ///
    /// # Errors
    /// What ended the wait early, such as [`Error::Interrupted`]: the caller has not come then.
    pub fn wait(&self) -> Result<bool, Error> {
        self.wait_until(Deadline::None)
    }

    /// As [`Barrier::wait`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`] and others have not
    /// come; and as [`Barrier::wait`].
    pub fn wait_until(&self, deadline: Deadline) -> Result<bool, Error> {
        let round = {
            let _guard = self.lock.hold(Deadline::None)?;
            let come = self.come.load().saturating_add(1);
            if come >= self.threads.load() {
                self.come.store(0);
                self.rounds.add(1);
                None
            } else {
                self.come.store(come);
                Some(self.rounds.load())
            }
        };
        let Some(round) = round else {
            self.complete.signal(u32::MAX);
            return Ok(true);
        };
        let complete = || (self.rounds.load() != round).then_some(());
        match self.complete.until(complete, deadline) {
            Ok(()) => Ok(false),
            Err(error) => self.leave(round, error),
        }
    }

    /// Goes away, unless all have come meanwhile.
    fn leave(&self, round: u32, error: Error) -> Result<bool, Error> {
        let _guard = self.lock.hold(Deadline::None)?;
        if self.rounds.load() != round {
            return Ok(false);
        }
        self.come.store(self.come.load().saturating_sub(1));
        Err(error)
    }
}
