//! Locks, which mutexes are made of.

use measure::{Counter, Meter, SAMPLES};
use riposte::println;

use crate::place::Place;
use crate::{Side, expect};

/// `mutex-uncontended`: lock and unlock, while nobody else wants it.
pub fn uncontended<C: Counter>(meter: Meter<C>, iterations: u32, side: Side, place: &Place) {
    let case = side.case("mutex-uncontended", 0);
    let figures = meter.measure(iterations, || drop(place.lock.lock()));
    let guard = place.lock.try_lock();
    if guard.is_err() || place.lock.try_lock().is_ok() {
        println!("@fail {}: it does not lock", case.name);
    }
    figures.report(case);
}

/// `mutex-contended`: lock and unlock, of which each lock waits for the other thread, and each unlock
/// hands over to it. Each turn of the measured loop is two of them, one a thread.
pub fn contended<C: Counter>(meter: Meter<C>, iterations: u32, side: Side, place: &Place) {
    let case = side.case("mutex-contended", 0);
    let before = place.turns.load();
    let first = place.lock.lock();
    let _ = place.begin.give();
    riposte::yield_now();
    // From here on the rival waits for the lock whenever this thread has it.
    drop(first);
    let mut figures = meter.measure(iterations, || drop(place.lock.lock()));
    let last = place.lock.lock();
    let turns = place.turns.load() - before;
    expect(
        case,
        "the other thread had it",
        turns,
        iterations + SAMPLES + 2,
    );
    // It ends, or would keep the lock busy.
    let _ = place.begin.give();
    drop(last);
    riposte::yield_now();
    figures.operations = 2;
    figures.min_ticks /= 2;
    figures.max_ticks /= 2;
    figures.report(case);
}

/// The other thread: takes the lock and gives it up, from one unit of `begin` to the next.
pub fn rival(place: &Place) -> ! {
    loop {
        let _ = place.begin.take();
        while place.begin.units() == 0 {
            let guard = place.lock.lock();
            place.count();
            drop(guard);
        }
        let _ = place.begin.take();
    }
}
