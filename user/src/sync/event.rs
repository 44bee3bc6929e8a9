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
/// of the two sees the other. A waiter that dies stays counted until a signal finds nobody: then the count begins anew,
/// and whoever lives counts itself again. A signal that
/// its signaller did not live to give, or its waiter to use, is lost: until the next one, or until somebody
/// [reminds](Event::remind) those who wait.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Event {
    /// How often it was signalled while anybody waited.
    signals: Word,
    /// How many wait ([`COUNT`]), and times [`AGE`] how often that began anew.
    waiting: Word,
}

/// How many wait, in [`Event::waiting`].
const COUNT: u32 = 0xFFFF;
/// One beginning anew there.
const AGE: u32 = 1 << 16;

/// Somebody who waits for an event.
pub(super) struct Watch<'e> {
    event: &'e Event,
    /// The signals that it knows of.
    seen: u32,
    /// Since which beginning it is counted.
    age: u32,
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
        // In this order: if the count begins anew behind the second, the signals change behind the first.
        let seen = self.signals.load();
        Watch {
            event: self,
            seen,
            age: self.count(),
        }
    }

    /// Counts who waits; since which beginning.
    #[inline]
    fn count(&self) -> u32 {
        self.waiting.add(1) / AGE
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
        if self.waiting.load() & COUNT != 0 {
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
        let counted = self.waiting.load();
        self.signals.add(1);
        // The memory is the caller's to name, or it had not got here.
        if futex::wake(&self.signals, most) == Ok(0) {
            self.begin_anew(counted);
        }
    }

    /// Counts anew, unless somebody has come or left since so many were counted, of whom the kernel knew none. They have
    /// died; or they are on the way: who looks, and who has fallen asleep since, finds the signals changed or is woken, and
    /// counts itself again. Until that is done one more is counted: if the caller dies meanwhile, the next signal
    /// does it.
    #[cold]
    fn begin_anew(&self, counted: u32) {
        let anew = (counted & !COUNT).wrapping_add(AGE);
        if self.waiting.compare_exchange(counted, anew | 1).is_ok() {
            self.signals.add(1);
            let _ = futex::wake(&self.signals, u32::MAX);
            self.leave(anew / AGE);
        }
    }

    /// Who was counted since this beginning is so no more, unless it began anew meanwhile.
    #[inline]
    fn leave(&self, age: u32) {
        let fewer =
            |waiting: u32| (waiting / AGE == age && waiting & COUNT != 0).then(|| waiting - 1);
        let _ = self.waiting.update(fewer);
    }
}

impl Watch<'_> {
    /// Blocks until the event is signalled, unless it was since the last look.
    pub fn wait(&mut self, deadline: Deadline) -> Result<(), Error> {
        wait_at(&self.event.signals, self.seen, deadline)?;
        // In this order, as in [`Event::watch`].
        self.seen = self.event.signals.load();
        if self.event.waiting.load() / AGE != self.age {
            self.age = self.event.count();
        }
        Ok(())
    }
}

impl Drop for Watch<'_> {
    #[inline]
    fn drop(&mut self) {
        self.event.leave(self.age);
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::boxed::Box;
    use std::sync::Mutex;
    use std::vec::Vec;

    use riposte_abi::call::number::FUTEX_WAKE;
    use riposte_abi::register;

    use super::{Event, Watch};
    use crate::tests::sync::kernel::{calls, enter, soon, waiting, while_waiting};
    use crate::trap::hosted::install;
    use crate::{Deadline, Error};

    /// Installs a kernel in which nobody waits: `meanwhile` is done within the call of this number among those that wake.
    fn within_wake(number: usize, meanwhile: impl FnOnce() + 'static) {
        let (mut calls, mut meanwhile) = (0, Some(meanwhile));
        install(move |registers, _| {
            assert_eq!(registers[register::CALL], FUTEX_WAKE);
            calls += 1;
            if calls == number {
                meanwhile.take().unwrap()();
            }
            [0; register::COUNT]
        });
    }

    fn leaked() -> &'static Event {
        Box::leak(Box::new(Event::new()))
    }

    /// Whether a signal asks the kernel.
    fn asks(event: &Event) -> bool {
        let asked = Box::leak(Box::new(AtomicBool::new(false)));
        install(|_, _| {
            asked.store(true, SeqCst);
            [1; register::COUNT]
        });
        event.signal(1);
        asked.load(SeqCst)
    }

    #[test]
    fn who_has_died_waiting_costs_one_signal_and_none_after_it() {
        enter();
        let event = Event::new();
        for _ in 0..3 {
            core::mem::forget(event.watch());
        }
        event.signal(1);
        assert!(calls() > 0);
        let before = calls();
        event.signal(1);
        event.signal(u32::MAX);
        event.remind();
        assert_eq!(calls(), before);
    }

    #[test]
    fn who_has_died_waiting_keeps_no_signal_from_who_waits() {
        let event = leaked();
        core::mem::forget(event.watch());
        for _ in 0..2 {
            let woken = while_waiting(
                || event.watch().wait(Deadline::None),
                || {
                    event.signal(1);
                },
            );
            assert_eq!(woken, Ok(()));
            // Nobody waits now.
            event.signal(1);
            assert!(!asks(event));
        }
    }

    #[test]
    fn who_was_on_the_way_to_wait_when_the_count_began_anew_is_counted_again() {
        enter();
        let event = Event::new();
        let mut watch = event.watch();
        event.signal(1);
        assert!(!asks(&event));
        enter();
        assert_eq!(watch.wait(soon(2000)), Ok(()));
        assert!(asks(&event));
        drop(watch);
        assert!(!asks(&event));
    }

    #[test]
    fn who_leaves_and_was_counted_before_the_count_began_anew_takes_nobody_elses() {
        enter();
        let event = Event::new();
        let before = event.watch();
        event.signal(1);
        let behind = event.watch();
        drop(before);
        assert!(asks(&event));
        drop(behind);
        assert!(!asks(&event));
    }

    #[test]
    fn who_comes_while_nobody_is_found_stays_counted() {
        let event = leaked();
        core::mem::forget(event.watch());
        within_wake(1, || core::mem::forget(event.watch()));
        event.signal(1);
        assert!(asks(event));
    }

    #[test]
    fn who_comes_in_the_place_of_one_who_leaves_is_woken_when_the_count_begins_anew_and_counted_again()
     {
        let event = leaked();
        let (there, comes) = (event.watch(), leaked_watch());
        within_wake(1, || {
            drop(there);
            *comes.lock().unwrap() = Some(event.watch());
        });
        event.signal(1);
        // Its word has changed since: it does not sleep.
        enter();
        let mut came = comes.lock().unwrap().take().unwrap();
        assert_eq!(came.wait(soon(2000)), Ok(()));
        assert!(asks(event));
        drop(came);
        assert!(!asks(event));
    }

    #[test]
    fn who_sleeps_when_the_count_begins_anew_is_woken_for_it() {
        let event = leaked();
        core::mem::forget(event.watch());
        let asked: &'static Mutex<Vec<u32>> = Box::leak(Box::default());
        install(|registers, _| {
            asked.lock().unwrap().push(registers[register::WORD1]);
            [0; register::COUNT]
        });
        event.signal(1);
        assert_eq!(*asked.lock().unwrap(), [1, u32::MAX]);
    }

    #[test]
    fn a_process_that_ends_while_it_begins_the_count_anew_leaves_the_next_signal_one_to_look_for() {
        let event = leaked();
        core::mem::forget(event.watch());
        within_wake(2, || assert!(asks(event)));
        event.signal(1);
        assert!(!asks(event));
    }

    fn leaked_watch() -> &'static Mutex<Option<Watch<'static>>> {
        Box::leak(Box::new(Mutex::new(None)))
    }

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
