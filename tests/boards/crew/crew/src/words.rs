//! As many threads of a process as there can be wait at a word, for a lock, and for each other's ends.

use check::{equal, holds};
use riposte::sync::{Lock, Word};
use riposte::thread::{self, JoinHandle, Policy, Settings};
use riposte::{Duration, futex};

use crate::SPARES;
use crate::driver::settle;

static WORD: Word = Word::new(0);
static OTHER: Word = Word::new(0);
static UNITS: Word = Word::new(riposte::abi::semaphore::WAITERS);
static LOCK: Lock = Lock::new();
const ALL: u32 = SPARES as u32;

pub fn all() {
    let crew = start(wait);
    let moved = futex::requeue(&WORD, 0, 1, &OTHER, u32::MAX).unwrap();
    equal(
        "rule_19_all_but_one_are_moved",
        (moved.woken, moved.moved),
        (1, ALL - 1),
    );
    equal(
        "rule_19_all_are_woken",
        futex::wake(&OTHER, u32::MAX),
        Ok(ALL - 1),
    );
    join(crew);

    let crew = start(take);
    equal("rule_19_a_unit_wakes_one", futex::give(&UNITS), Ok(true));
    for _ in 1..SPARES {
        futex::give(&UNITS).unwrap();
    }
    join(crew);

    let guard = LOCK.lock().unwrap();
    let crew = start(lock);
    let threads = crew.iter().flatten().enumerate();
    let mut urgent = threads.map(|(number, handle)| {
        let priority = 11 + number as u8 % 16;
        thread::set_priority(handle.thread(), priority)
    });
    let all_are = urgent.all(|urgent| urgent.is_ok());
    holds("rule_20_threads_that_wait_become_more_urgent", all_are);
    drop(guard);
    join(crew);

    let crew = start(nap);
    let policy = thread::set_policy(crew[0].as_ref().unwrap().thread(), Policy::RoundRobin);
    holds("a_thread_takes_turns", policy.is_ok());
    settle();
    for handle in crew.into_iter().flatten() {
        handle.detach();
    }
}

fn start(body: fn(usize) -> u32) -> [Option<JoinHandle>; SPARES] {
    let crew = core::array::from_fn(|number| thread::spawn(body, number, Settings::new(9)).ok());
    settle();
    crew
}

fn join(crew: [Option<JoinHandle>; SPARES]) {
    let ended = crew
        .into_iter()
        .flatten()
        .filter(|handle| handle.join().is_ok());
    equal("rule_20_all_end", ended.count(), SPARES);
}

fn wait(_: usize) -> u32 {
    futex::wait(&WORD, 0).unwrap();
    0
}

fn take(_: usize) -> u32 {
    let _ = futex::wait(&UNITS, riposte::abi::semaphore::WAITERS);
    0
}

fn lock(_: usize) -> u32 {
    drop(LOCK.lock());
    0
}

fn nap(_: usize) -> u32 {
    riposte::sleep(Duration::from_millis(700)).unwrap();
    0
}
