//! Semaphores.

use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

use riposte_abi::semaphore::{MAX_UNITS, WAITERS};

use super::kernel::{calls, enter, soon, together, while_waiting};
use crate::sync::Semaphore;
use crate::{Deadline, Error};

#[test]
fn units_are_taken_as_often_as_they_are_given_without_a_call() {
    enter();
    let semaphore = Semaphore::new(1);
    semaphore.give().unwrap();
    assert_eq!(semaphore.take(), Ok(()));
    assert!(semaphore.try_take());
    assert!(!semaphore.try_take());
    assert_eq!(
        semaphore.take_until(Deadline::Immediate),
        Err(Error::WouldBlock)
    );
    assert_eq!(calls(), 0);
}

#[test]
fn who_waits_gets_the_unit_that_is_given() {
    let semaphore = Semaphore::new(0);
    let taken = while_waiting(|| semaphore.take(), || semaphore.give().unwrap());
    assert_eq!(taken, Ok(()));
    assert_eq!(semaphore.units(), 0);
}

#[test]
fn who_waits_until_a_deadline_has_taken_nothing_and_waits_no_more() {
    enter();
    let semaphore = Semaphore::new(0);
    assert_eq!(semaphore.take_until(soon(20)), Err(Error::TimedOut));
    assert_eq!(semaphore.units(), 0);
    semaphore.give().unwrap();
    assert_eq!(semaphore.units(), 1);
    let before = calls();
    semaphore.give().unwrap();
    assert_eq!(calls(), before, "nobody waits any more");
    assert_eq!(semaphore.units(), 2);
}

#[test]
fn a_semaphore_at_its_limit_takes_no_further_unit() {
    enter();
    let semaphore = Semaphore::new(MAX_UNITS);
    assert_eq!(semaphore.give(), Err(Error::WouldBlock));
    assert_eq!(semaphore.units(), MAX_UNITS);
    assert!(semaphore.try_take());
    assert_eq!(semaphore.give(), Ok(()));
}

#[test]
fn no_unit_is_lost_among_many_threads() {
    let semaphore = Semaphore::new(0);
    together(4, |number| {
        for _ in 0..500 {
            if number % 2 == 0 {
                semaphore.give().unwrap();
            } else {
                semaphore.take().unwrap();
            }
        }
    });
    assert_eq!(semaphore.units(), 0);
}

#[test]
fn whatever_a_stranger_writes_into_it_a_wait_ends_by_its_deadline() {
    enter();
    let semaphore = Semaphore::default();
    // SAFETY: a semaphore is one word.
    let word = unsafe { &*core::ptr::from_ref(&semaphore).cast::<AtomicU32>() };
    for value in [WAITERS, WAITERS | 1, WAITERS | MAX_UNITS] {
        word.store(value, SeqCst);
        let result = semaphore.take_until(soon(20));
        assert_eq!(result.is_ok(), value != WAITERS, "{value:#x}");
        word.store(value, SeqCst);
        let given = semaphore.give();
        assert_eq!(given.is_ok(), value & MAX_UNITS != MAX_UNITS, "{value:#x}");
    }
}
