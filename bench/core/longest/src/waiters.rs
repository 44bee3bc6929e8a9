//! Calls about words, locks and threads, with many who wait.

use riposte::sync::{Lock, Word};
use riposte::thread::{self, Settings};
use riposte::{Deadline, Duration, Instant, futex};

use crate::crowd::{Crowd, MANY, settle};
use crate::watch::{Watch, report};

static WORD: Word = Word::new(0);
static OTHER: Word = Word::new(0);
static LOCK: Lock = Lock::new();
/// Locks of a chain of threads: each has one, and waits for the next.
static CHAIN: [Lock; CHAINED] = [const { Lock::new() }; CHAINED];
const CHAINED: usize = 8;
/// Nanoseconds, in units of 1024, at which sleepers wake.
static WAKE: Word = Word::new(0);
/// How many have.
static AWAKE: Word = Word::new(0);

pub fn all(watch: Watch) {
    words(watch);
    locks(watch);
    chain(watch);
    threads(watch);
    clock(watch);
}

fn words(watch: Watch) {
    let soon = Deadline::At(riposte::Instant::now() + Duration::from_millis(50));
    watch.time("futex-wait", "with a deadline", || {
        futex::wait_until(&WORD, 0, soon).unwrap_err()
    });
    watch.time("futex-wake", "nobody waits", || {
        futex::wake(&WORD, 1).unwrap()
    });
    for (count, when) in [(1, "1 waiter"), (MANY, "32 waiters")] {
        let crowd = Crowd::start(count, wait);
        watch.time("futex-wake", when, || futex::wake(&WORD, u32::MAX).unwrap());
        crowd.end();
    }
    for (count, when) in [
        (1, "1 waiter to another word"),
        (MANY, "32 waiters to another word"),
    ] {
        let crowd = Crowd::start(count, wait);
        watch.time("futex-requeue", when, || {
            futex::requeue(&WORD, 0, 0, &OTHER, u32::MAX).unwrap();
        });
        futex::wake(&OTHER, u32::MAX).unwrap();
        crowd.end();
    }
}

fn wait(_: usize) -> u32 {
    futex::wait(&WORD, 0).unwrap();
    0
}

fn locks(watch: Watch) {
    for (count, when) in [(1, "1 waiter"), (MANY, "32 waiters")] {
        let guard = LOCK.lock().unwrap();
        let crowd = Crowd::start(count, want);
        watch.time("futex-unlock", when, || drop(guard));
        crowd.end();
    }
}

fn want(_: usize) -> u32 {
    drop(LOCK.lock());
    0
}

/// The last one runs, and has the first lock that all the others wait for in the end.
fn chain(watch: Watch) {
    for (count, when) in [(1, "its owner runs"), (CHAINED, "a chain of 8 owners")] {
        let first = CHAINED - count;
        for number in (first..CHAINED).rev() {
            // Each runs at once, though the last one never waits, and is as urgent as the one before.
            let settings = Settings::new(2 + (CHAINED - number) as u8);
            thread::spawn(hold, number, settings).unwrap().detach();
            settle();
        }
        watch.time("futex-lock", when, || drop(CHAIN[first].lock().unwrap()));
        settle();
    }
}

fn hold(number: usize) -> u32 {
    let _own = CHAIN[number].lock().unwrap();
    match CHAIN.get(number + 1) {
        Some(next) => drop(next.lock().unwrap()),
        None => {
            let watch = Watch::new();
            while !watch.witness() {}
        }
    }
    0
}

fn threads(watch: Watch) {
    let start = || thread::spawn(end, 0, Settings::new(10)).unwrap();
    let other = watch.time("thread-create", "always", start);
    let id = other.thread();
    watch.time("thread-schedule", "it is ready", || {
        thread::set_priority(id, 9).unwrap();
    });
    watch.time("thread-detach", "it runs", || other.detach());
    settle();
    let other = start();
    settle();
    watch.time("thread-join", "it has ended", || other.join().unwrap());
    let other = thread::spawn(exit, 0, Settings::new(10)).unwrap();
    other.join().unwrap();
    watch.witness();
    watch.report("thread-exit", "somebody waits for it");
}

fn end(_: usize) -> u32 {
    0
}

fn exit(_: usize) -> u32 {
    Watch::new().arm();
    0
}

/// The interrupt of the clock, while many wait for the same time.
fn clock(watch: Watch) {
    for (count, when) in [(1, "1 deadline is due"), (MANY, "32 deadlines are due")] {
        let due = riposte::Instant::now() + Duration::from_millis(200);
        WAKE.store((due.as_nanos() >> 10) as u32);
        AWAKE.store(0);
        let crowd = Crowd::start(count, sleep);
        let end = due + Duration::from_millis(50);
        let (longest, shortest) = watch.gaps(|| riposte::Instant::now() < end);
        crowd.end();
        assert_eq!(AWAKE.load() as usize, count);
        report("clock interrupt", when, longest, shortest);
    }
}

fn sleep(_: usize) -> u32 {
    let due = u64::from(WAKE.load()) << 10;
    riposte::sleep_until(Instant::from_nanos(due)).unwrap();
    AWAKE.add(1);
    0
}
