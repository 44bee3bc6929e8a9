//! Who gets what, in order of priority.

use riposte::Duration;
use riposte::abi::semaphore::MAX_UNITS;
use riposte::sync::{Mutex, Semaphore};

use crate::phase::{self, burn, log, logged, name, settle};

static UNITS: Semaphore = Semaphore::new(0);
static MUTEX: Mutex<u32> = Mutex::new(0);
static HELD: Semaphore = Semaphore::new(0);

pub fn judge() {
    phase::open(name::UNITS);
    settle();
    UNITS.give().expect("far from its limit");
    UNITS.give().expect("far from its limit");
    settle();
    check::equal("the most urgent thread gets the first unit", logged(), 81);

    let full = Semaphore::new(MAX_UNITS);
    let refused = full.give() == Err(riposte::Error::WouldBlock);
    let taken = full.try_take() && full.units() == MAX_UNITS - 1;
    check::holds("a semaphore at its limit takes no more", refused && taken);

    phase::open(name::HOLDING);
    HELD.take().expect("it is given");
    phase::open(name::BURNING);
    // The most urgent of the others burns time, as soon as it looks; unless the holder is helped.
    let value = *MUTEX.lock().expect("it is given up");
    log(9);
    settle();
    settle();
    check::equal(
        "who holds a mutex has the priority of who waits for it",
        logged(),
        198,
    );
    check::equal(
        "what a mutex protects is what its last holder left",
        value,
        7,
    );
}

pub fn low() {
    phase::wait(name::UNITS);
    UNITS.take().expect("it is given");
    log(1);
    phase::wait(name::HOLDING);
    let mut value = MUTEX.lock().expect("it is free");
    HELD.give().expect("far from its limit");
    burn(Duration::from_millis(1));
    *value = 7;
    log(1);
    drop(value);
}

pub fn middle() {
    phase::wait(name::UNITS);
    UNITS.take().expect("it is given");
    log(8);
    phase::wait(name::BURNING);
    burn(Duration::from_micros(500));
    log(8);
}
