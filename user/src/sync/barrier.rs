//! Threads that wait for each other at the same place.

use super::Word;
use super::event::Event;
use crate::{Deadline, Error};

/// A barrier: so many threads wait at it until all have come. Then it begins anew.
///
/// A thread that dies waiting has come. Several processes can use one in memory that they share, which
/// [`Barrier::set`] says for how many; all zeros is a barrier at which nobody waits.
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
    threads: Word,
    /// How many have come, and times [`ROUND`] how often all have.
    come: Word,
    complete: Event,
}

/// One round in [`Barrier::come`].
const ROUND: u32 = 1 << 16;

impl Barrier {
    /// A barrier for so many threads. For 0 or 1 nobody waits.
    #[must_use]
    pub const fn new(threads: u16) -> Barrier {
        Barrier {
            threads: Word::new(threads as u32),
            come: Word::new(0),
            complete: Event::new(),
        }
    }

    /// From now on it is for so many threads: for one in memory that is shared, before anybody waits.
    pub fn set(&self, threads: u16) {
        self.threads.store(threads.into());
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
    pub fn wait_until(&self, deadline: impl Into<Deadline>) -> Result<bool, Error> {
        let deadline = deadline.into();
        let before = self.come(|come| {
            let count = come % ROUND + 1;
            if count >= self.threads.load() {
                next(come)
            } else {
                come.wrapping_add(1)
            }
        });
        if before % ROUND + 1 >= self.threads.load() {
            self.complete.signal(u32::MAX);
            return Ok(true);
        }
        if before.is_multiple_of(ROUND) {
            // The last one of the round before may have died before it could wake the others.
            self.complete.remind();
        }
        let round = before / ROUND;
        let complete = || (self.come.load() / ROUND != round).then_some(());
        match self.complete.until(complete, deadline) {
            Ok(()) => Ok(false),
            Err(error) => self.leave(round, error),
        }
    }

    /// Goes away, unless all have come meanwhile.
    fn leave(&self, round: u32, error: Error) -> Result<bool, Error> {
        let left = self.come.update(|come| {
            let waiting = come / ROUND == round && come % ROUND > 0;
            waiting.then(|| come - 1)
        });
        left.map_or(Ok(false), |_| Err(error))
    }

    /// Changes who has come; what it was.
    fn come(&self, change: impl Fn(u32) -> u32) -> u32 {
        let (Ok(before) | Err(before)) = self.come.update(|come| Some(change(come)));
        before
    }
}

/// The beginning of the round behind that of `come`.
fn next(come: u32) -> u32 {
    (come / ROUND).wrapping_add(1).wrapping_mul(ROUND)
}
