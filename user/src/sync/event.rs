//! Waiting until something has changed, whatever it is.

use crate::{Deadline, Error, futex};

use super::Word;

/// Blocks the calling thread until it is woken at `word`, unless that holds something else than
/// `expected` by now: whoever waits looks again afterwards in either case.
#[inline(never)]
pub(super) fn wait_at(word: &Word, expected: u32, deadline: Deadline) -> Result<(), Error> {
    if deadline == Deadline::Immediate {
        return Err(Error::WouldBlock);
    }
    match futex::wait_until(word, expected, deadline) {
        Err(Error::WouldBlock) => Ok(()),
        result => result,
    }
}

/// Something that threads wait for: who changes it, signals, and who waits, looks again.
///
/// A waiter counts itself before it looks, and a signaller looks for waiters after the change: one
/// of the two sees the other. A waiter that dies stays counted, which costs signals a call each. A signal that
/// its signaller did not live to give, or its waiter to use, is lost: until the next one, or until somebody
/// [reminds](Event::remind) those who wait.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Event {
    /// How often it was signalled while anybody waited.
    signals: Word,
    waiting: Word,
}

/// Somebody who waits for an event.
pub(super) struct Watch<'e> {
    event: &'e Event,
    /// The signals that it knows of.
    seen: u32,
}

impl Event {
    pub const fn new() -> Event {
        Event {
            signals: Word::new(0),
            waiting: Word::new(0),
        }
    }

    /// Begins to wait: what is changed from now on, [`Watch::wait`] doesn't miss.
    #[inline]
    pub fn watch(&self) -> Watch<'_> {
        self.waiting.add(1);
        Watch {
            event: self,
            seen: self.signals.load(),
        }
    }

    /// Blocks until `look` finds something: it looks now, and whenever the event was signalled.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if the deadline is [`Deadline::Immediate`]; what else
    /// ended the wait.
    #[inline(never)]
    pub fn until<T>(
        &self,
        mut look: impl FnMut() -> Option<T>,
        deadline: Deadline,
    ) -> Result<T, Error> {
        let mut watch = self.watch();
        loop {
            if let Some(found) = look() {
                return Ok(found);
            }
            watch.wait(deadline)?;
        }
    }

    /// As [`Event::until`], where a look says [`Error::WouldBlock`] if there is nothing yet. If it fails
    /// otherwise, the signal that let it look goes on to the next one who waits.
    ///
    /// # Errors
    /// As [`Event::until`], and the look's own.
    pub fn until_done<T>(
        &self,
        mut look: impl FnMut() -> Result<T, Error>,
        deadline: Deadline,
    ) -> Result<T, Error> {
        let done = || match look() {
            Err(Error::WouldBlock) => None,
            result => Some(result),
        };
        let result = self.until(done, deadline)?;
        if result.is_err() {
            self.signal(1);
        }
        result
    }

    /// Wakes at most `most` of those who wait, the most urgent first.
    #[inline(always)]
    pub fn signal(&self, most: u32) {
        if self.waiting.load() != 0 {
            self.wake(most);
        }
    }

    /// Has all who wait look: whoever finds nothing, before it waits for those whose turn it is then. Who died with
    /// a change made and its signal not given, or with a signal not used, would have both sides wait for each other.
    ///
    /// Two who find nothing do not remind each other on and on: between their looks, somebody has found something.
    #[inline(always)]
    pub fn remind(&self) {
        self.signal(u32::MAX);
    }

    #[cold]
    #[inline(never)]
    fn wake(&self, most: u32) {
        self.signals.add(1);
        // The memory is the caller's to name, or it had not got here.
        let _ = futex::wake(&self.signals, most);
    }
}

impl Watch<'_> {
    /// Blocks until the event is signalled, unless it was since the last look.
    pub fn wait(&mut self, deadline: Deadline) -> Result<(), Error> {
        wait_at(&self.event.signals, self.seen, deadline)?;
        self.seen = self.event.signals.load();
        Ok(())
    }
}

impl Drop for Watch<'_> {
    #[inline]
    fn drop(&mut self) {
        self.event.waiting.add(u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::vec::Vec;

    use super::Event;
    use crate::tests::sync::kernel::{enter, soon, waiting};
    use crate::{Deadline, Error};

    #[test]
    fn a_signal_that_its_waiter_cannot_use_goes_on_to_the_next() {
        enter();
        let event = Event::new();
        let ids = Mutex::new(Vec::new());
        let wait = |woken: Result<(), Error>, deadline: fn() -> Deadline| {
            ids.lock().unwrap().push(enter());
            let mut looks = [Err(Error::WouldBlock), woken].into_iter();
            event.until_done(|| looks.next().unwrap(), deadline())
        };
        let comes = |number| {
            while waiting(&ids.lock().unwrap()) < number {
                std::thread::yield_now();
            }
        };
        std::thread::scope(|scope| {
            let first = scope.spawn(|| wait(Err(Error::TimedOut), || Deadline::None));
            comes(1);
            let second = scope.spawn(|| wait(Ok(()), || soon(2000)));
            comes(2);
            event.signal(1);
            assert_eq!(first.join().unwrap(), Err(Error::TimedOut));
            assert_eq!(second.join().unwrap(), Ok(()));
        });
    }
}
