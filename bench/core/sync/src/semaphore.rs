//! Semaphores.

use measure::{Counter, Meter, SAMPLES};
use riposte::println;

use crate::place::Place;
use crate::{Side, expect};

/// `sem-pingpong`: two threads let each other run, by two semaphores: twice give and take, of which each
/// take waits.
pub fn ping_pong<C: Counter>(meter: Meter<C>, iterations: u32, side: Side, place: &Place) {
    let before = place.turns.load();
    let case = side.case("sem-pingpong", 0);
    let figures = meter.measure(iterations, || {
        let _ = place.ping.give();
        let _ = place.pong.take();
    });
    let turns = place.turns.load() - before;
    expect(
        case,
        "the other thread ran",
        turns,
        iterations + SAMPLES + 1,
    );
    figures.report(case);
}

/// The other thread.
pub fn pong(place: &Place) -> ! {
    loop {
        let _ = place.ping.take();
        place.count();
        let _ = place.pong.give();
    }
}

/// `sem-uncontended`: give and take of a unit that nobody waits for.
pub fn uncontended<C: Counter>(meter: Meter<C>, iterations: u32, side: Side, place: &Place) {
    let case = side.case("sem-uncontended", 0);
    let figures = meter.measure(iterations, || {
        let _ = place.pong.give();
        let _ = place.pong.take();
    });
    if place.pong.units() != 0 {
        println!("@fail {}: units are left", case.name);
    }
    figures.report(case);
}
