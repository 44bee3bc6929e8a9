//! Mutexes, and what is made of them.

use core::cell::Cell;
use std::boxed::Box;

use super::kernel::{calls, die, enter, soon, together, waiting, while_waiting};
use crate::sync::{Condvar, Lock, Mutex, Once, OnceCell, RecursiveMutex, RwLock, Word};
use crate::{Deadline, Error};

#[test]
fn a_free_mutex_is_taken_and_given_up_without_a_call() {
    enter();
    let mutex = Mutex::new(1);
    *mutex.lock().unwrap() += 1;
    *mutex.try_lock().unwrap() += 1;
    assert_eq!(*mutex.lock_until(Deadline::Immediate).unwrap(), 3);
    assert_eq!(calls(), 0);
    assert_eq!(mutex.into_inner(), 3);
}

#[test]
fn one_thread_at_a_time_has_the_value() {
    let mutex = Mutex::new((0_u32, 0_u32));
    together(4, |_| {
        for _ in 0..500 {
            let mut pair = mutex.lock().unwrap();
            pair.0 += 1;
            std::thread::yield_now();
            pair.1 += 1;
            assert_eq!(pair.0, pair.1);
        }
    });
    assert_eq!(mutex.into_inner(), (2000, 2000));
}

#[test]
fn who_tries_a_held_mutex_or_waits_too_long_has_nothing() {
    let mutex = Mutex::new(());
    while_waiting(
        || {
            let guard = mutex.lock().unwrap();
            core::mem::forget(guard);
        },
        || {},
    );
    enter();
    assert_eq!(mutex.try_lock().unwrap_err(), Error::WouldBlock);
    assert_eq!(mutex.lock_until(soon(20)).unwrap_err(), Error::TimedOut);
}

#[test]
fn a_thread_that_takes_its_mutex_again_is_told_and_not_lost() {
    enter();
    let mutex = Mutex::new(());
    let guard = mutex.lock().unwrap();
    assert_eq!(mutex.lock().unwrap_err(), Error::Deadlock);
    drop(guard);
    assert!(mutex.lock().is_ok());
}

/// Runs `work` in a thread of the system that has ended when this returns.
fn in_a_thread_that_ends<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let id = enter();
            let result = work();
            die(id);
            result
        });
        thread.join().unwrap()
    })
}

#[test]
fn the_next_holder_of_a_lock_is_told_that_the_last_one_died_until_it_is_repaired() {
    let lock = Lock::new();
    in_a_thread_that_ends(|| core::mem::forget(lock.lock().unwrap()));
    enter();
    let guard = lock.lock().unwrap();
    assert!(guard.owner_died());
    drop(guard);
    let guard = lock.lock().unwrap();
    assert!(guard.owner_died(), "nobody has repaired it");
    guard.repaired();
    assert!(!guard.owner_died());
    drop(guard);
    let before = calls();
    assert!(!lock.lock().unwrap().owner_died());
    assert_eq!(calls(), before);
}

#[test]
fn nobody_gets_the_value_of_a_mutex_whose_holder_has_ended_with_a_reference_that_may_live_on() {
    let mutex: &'static Mutex<u32> = Box::leak(Box::new(Mutex::new(1)));
    let first: &'static mut u32 =
        in_a_thread_that_ends(|| &mut **Box::leak(Box::new(mutex.lock().unwrap())));
    enter();
    for _ in 0..2 {
        assert_eq!(mutex.lock().err(), Some(Error::PeerDied));
        assert_eq!(mutex.try_lock().err(), Some(Error::PeerDied));
        assert_eq!(mutex.lock_until(soon(20)).err(), Some(Error::PeerDied));
    }
    *first = 2;
    // SAFETY: the only reference has had its last use.
    let mut recovered = unsafe { mutex.recover() }.unwrap();
    assert_eq!(*recovered, 2);
    *recovered = 3;
    drop(recovered);
    assert_eq!(mutex.lock().map(|value| *value), Ok(3));
}

#[test]
fn who_waits_for_a_mutex_whose_holder_ends_is_told() {
    let mutex = Mutex::new(1);
    let told = while_waiting(
        || {
            in_a_thread_that_ends(|| core::mem::forget(mutex.lock().unwrap()));
            mutex.lock().err()
        },
        || {},
    );
    assert_eq!(told, Some(Error::PeerDied));
    assert_eq!(mutex.into_inner(), 1, "nobody else can have it");
}

#[test]
fn nobody_reads_or_writes_a_value_whose_writer_has_ended_with_a_reference_that_may_live_on() {
    let lock: &'static RwLock<u32> = Box::leak(Box::new(RwLock::new(1)));
    let first: &'static mut u32 =
        in_a_thread_that_ends(|| &mut **Box::leak(Box::new(lock.write().unwrap())));
    enter();
    for _ in 0..2 {
        assert_eq!(lock.read().err(), Some(Error::PeerDied));
        assert_eq!(lock.try_write().err(), Some(Error::PeerDied));
    }
    *first = 2;
    // SAFETY: the only reference has had its last use.
    drop(unsafe { lock.recover() }.unwrap());
    assert_eq!(lock.read().map(|value| *value), Ok(2));
}

#[test]
fn a_lock_whose_word_a_stranger_has_changed_is_an_error_and_no_more() {
    enter();
    let lock = Lock::new();
    let guard = lock.lock().unwrap();
    // SAFETY: a lock is one word, which several threads change.
    let word = unsafe { &*core::ptr::from_ref(&lock).cast::<Word>() };
    word.store(0x1234_5678);
    drop(guard);
    assert_eq!(lock.try_lock().unwrap_err(), Error::WouldBlock);
}

#[test]
fn a_recursive_mutex_is_free_when_its_last_guard_is_gone() {
    enter();
    let mutex = RecursiveMutex::new(Cell::new(0));
    let first = mutex.lock().unwrap();
    let second = mutex.lock().unwrap();
    second.set(first.get() + 1);
    drop(first);
    let refused = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            enter();
            mutex.try_lock().map(drop)
        });
        other.join().unwrap()
    });
    assert_eq!(refused, Err(Error::WouldBlock));
    drop(second);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            enter();
            assert_eq!(mutex.try_lock().unwrap().get(), 1);
        });
    });
}

#[test]
fn a_notified_thread_has_the_mutex_again() {
    let (mutex, changed) = (Mutex::new(0), Condvar::new());
    let seen = while_waiting(
        || {
            let guard = mutex.lock().unwrap();
            *changed.wait_while(guard, |value| **value == 0).unwrap()
        },
        || {
            *mutex.lock().unwrap() = 5;
            changed.notify_one();
        },
    );
    assert_eq!(seen, 5);
}

#[test]
fn a_notification_that_nobody_waits_for_makes_no_call_and_is_not_kept() {
    enter();
    let (mutex, changed) = (Mutex::new(0), Condvar::new());
    changed.notify_all();
    assert_eq!(calls(), 0);
    let (_guard, late) = changed.wait_until(mutex.lock().unwrap(), soon(20)).unwrap();
    assert!(late);
    assert_eq!(mutex.try_lock().unwrap_err(), Error::Deadlock, "it is held");
}

/// Returns when `condition` holds, or after ten seconds.
fn eventually(condition: impl Fn() -> bool) {
    let begin = std::time::Instant::now();
    while !condition() && begin.elapsed().as_secs() < 10 {
        std::thread::yield_now();
    }
}

/// What a wait until `deadline` for a notification that never comes ends with, where somebody else takes the lock as
/// soon as it is given up, and has it until `gives_up`, of the waiter and whether that is back.
fn wait_with_a_stranger(
    deadline: impl Fn() -> Deadline + Sync,
    gives_up: impl Fn(u32, bool) -> bool,
) -> Result<bool, Error> {
    let stranger = enter();
    let (lock, changed) = (Lock::new(), Condvar::new());
    let (holder, is_back) = (Word::new(0), Word::new(0));
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let id = enter();
            let guard = lock.lock().unwrap();
            holder.store(id);
            eventually(|| waiting(&[stranger]) == 1);
            let waited = changed.wait_until(guard, deadline());
            is_back.store(1);
            waited.map(|(_guard, late)| late)
        });
        eventually(|| holder.load() != 0);
        let guard = lock.lock().unwrap();
        eventually(|| gives_up(holder.load(), is_back.load() == 1));
        drop(guard);
        waiter.join().unwrap()
    })
}

#[test]
fn a_wait_for_a_notification_ends_by_its_deadline_though_a_stranger_keeps_the_lock() {
    for deadline in [|| soon(50), || Deadline::Immediate] {
        let waited = wait_with_a_stranger(deadline, |_, is_back| is_back);
        assert_eq!(waited, Err(Error::TimedOut));
    }
}

#[test]
fn who_waited_too_long_for_a_notification_still_gets_a_lock_that_is_soon_given_up() {
    // On a busy machine that may not be soon: then again.
    let wait =
        |_| wait_with_a_stranger(|| Deadline::Immediate, |waiter, _| waiting(&[waiter]) == 1);
    assert!((0..100).map(wait).any(|waited| waited == Ok(true)));
}

#[test]
fn a_notification_of_one_that_does_not_get_the_lock_in_time_goes_to_another() {
    enter();
    let (lock, changed) = (Lock::new(), Condvar::new());
    let ids = [(); 2].map(|()| Word::new(0));
    let is_waiting = |number: usize| ids[number].load() != 0 && waiting(&[ids[number].load()]) == 1;
    let wait = |number: usize, deadline: Deadline| {
        let id = enter();
        let guard = lock.lock().unwrap();
        ids[number].store(id);
        changed.wait_until(guard, deadline).map(|(_, late)| late)
    };
    std::thread::scope(|scope| {
        let first = scope.spawn(|| wait(0, soon(300)));
        eventually(|| is_waiting(0));
        let second = scope.spawn(|| wait(1, soon(5000)));
        eventually(|| is_waiting(1));
        let guard = lock.lock().unwrap();
        changed.notify_one();
        eventually(|| first.is_finished());
        drop(guard);
        assert_eq!(first.join().unwrap(), Err(Error::TimedOut));
        assert_eq!(second.join().unwrap(), Ok(false));
    });
}

#[test]
fn readers_share_and_a_writer_is_alone() {
    let lock = RwLock::new([0_u32; 2]);
    together(4, |number| {
        for _ in 0..300 {
            if number == 0 {
                let mut value = lock.write().unwrap();
                value[0] += 1;
                std::thread::yield_now();
                value[1] += 1;
            } else {
                let value = lock.read().unwrap();
                assert_eq!(value[0], value[1]);
            }
        }
    });
    assert_eq!(*lock.read().unwrap(), [300, 300]);
}

#[test]
fn a_writer_waits_for_the_last_reader_and_keeps_new_ones_out() {
    enter();
    let lock = RwLock::new(0);
    let (first, second) = (lock.read().unwrap(), lock.try_read().unwrap());
    assert_eq!(lock.try_write().unwrap_err(), Error::WouldBlock);
    drop(first);
    while_waiting(
        || {
            *lock.write().unwrap() = 1;
        },
        || {
            assert_eq!(lock.try_read().unwrap_err(), Error::WouldBlock);
            drop(second);
        },
    );
    assert_eq!(*lock.read().unwrap(), 1);
}

#[test]
fn a_writer_that_waits_too_long_lets_readers_in_again() {
    enter();
    let lock = RwLock::new(0);
    let reader = lock.read().unwrap();
    assert_eq!(lock.write_until(soon(20)).unwrap_err(), Error::TimedOut);
    assert!(lock.try_read().is_ok());
    drop(reader);
    assert!(lock.try_write().is_ok());
}

#[test]
fn what_is_done_once_is_done_once_by_whoever_comes_first() {
    let (once, times) = (Once::new(), Mutex::new(0));
    together(4, |_| {
        once.call(|| {
            std::thread::yield_now();
            *times.lock().unwrap() += 1;
        })
        .unwrap();
        assert!(once.is_done());
    });
    assert_eq!(times.into_inner(), 1);
}

#[test]
fn what_is_done_once_does_not_wait_for_itself() {
    enter();
    let once = Once::new();
    let mut inner = Ok(());
    once.call(|| inner = once.call(|| {})).unwrap();
    assert_eq!(inner, Err(Error::Deadlock));
}

#[test]
fn a_cell_keeps_its_first_value() {
    let cell = OnceCell::new();
    assert_eq!(cell.get(), None::<&u32>);
    together(4, |number| {
        let value = *cell.get_or_init(|| number).unwrap();
        assert_eq!(cell.get(), Some(&value));
        assert_eq!(cell.set(9), Err(9));
    });
}
