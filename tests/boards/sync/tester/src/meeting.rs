//! Threads that wait until something has happened.

use riposte::sync::{Barrier, Condvar, EventFlags, Flags, Mutex, OnceCell, RecursiveMutex, RwLock};

use crate::phase::{self, log, logged, name, pause, settle};

const LOW: u32 = 1;
const MIDDLE: u32 = 2;
const ROUNDS: u32 = 50;

static LEVEL: Mutex<u32> = Mutex::new(0);
static RISEN: Condvar = Condvar::new();
static EVENTS: EventFlags = EventFlags::new(0);
static BARRIER: Barrier = Barrier::new(3);
static MADE: OnceCell<u32> = OnceCell::new();
static PAIR: RwLock<[u32; 2]> = RwLock::new([0; 2]);
static AGAIN: RecursiveMutex<u32> = RecursiveMutex::new(5);

pub fn judge() {
    phase::open(name::MEETING);
    let level = LEVEL.lock().expect("it is given up");
    let level = RISEN.wait_while(level, |level| **level < 2 * ROUNDS);
    check::holds(
        "who waits for a condition wakes when it holds",
        level.is_ok_and(|level| *level == 2 * ROUNDS),
    );
    let both = EVENTS.wait(Flags::all(LOW | MIDDLE).clear());
    check::equal("who waits for all flags gets all", both, Ok(LOW | MIDDLE));
    check::equal("what was waited for is clear", EVENTS.get(), 0);

    let own = MADE.get_or_init(|| 9).copied();
    let last = BARRIER.wait();
    check::equal(
        "a cell has its first value",
        (own, MADE.get()),
        (Ok(9), Some(&9)),
    );
    // The others go on when the judge sleeps.
    logged();
    let next = BARRIER.wait();
    settle();
    let come = logged();
    check::holds(
        "all threads leave a barrier, and one of them was the last",
        (come == 21 || come == 12) && last.is_ok() && next.is_ok(),
    );

    let first = AGAIN.lock().expect("it is free");
    let second = AGAIN.lock();
    check::holds(
        "a recursive mutex is taken again",
        second.is_ok_and(|value| *value == *first),
    );
    drop(first);

    let mut same = true;
    for _ in 0..ROUNDS {
        let pair = PAIR.read().expect("it is given up");
        same &= pair[0] == pair[1];
        drop(pair);
        pause();
    }
    check::holds("nobody reads what another one changes", same);
}

/// What both others do.
fn meet(own: u32) {
    phase::wait(name::MEETING);
    for _ in 0..ROUNDS {
        *LEVEL.lock().expect("it is given up") += 1;
        RISEN.notify_one();
    }
    pause();
    EVENTS.set(own);
    BARRIER.wait().expect("all come");
    BARRIER.wait().expect("all come");
    log(own);
}

pub fn low() {
    meet(LOW);
    loop {
        let mut pair = PAIR.write().expect("it is given up");
        pair[0] += 1;
        pair[1] += 1;
        drop(pair);
        if pair_is_enough() {
            break;
        }
    }
}

/// Whether the value was changed often enough.
fn pair_is_enough() -> bool {
    !phase::is(name::MEETING)
}

pub fn middle() {
    meet(MIDDLE);
}
