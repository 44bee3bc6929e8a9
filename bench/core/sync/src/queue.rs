//! Queues that a thread sends to and receives from itself, so that nobody waits.

use core::hint::black_box;

use measure::{Counter, Meter};
use riposte::println;

use crate::Side;
use crate::place::Place;

/// `queue-self-word` and `queue-self-32B`: one item is sent, and received.
pub fn to_self<C: Counter>(meter: Meter<C>, iterations: u32, side: Side, place: &Place) {
    word(meter, iterations, side, place);
    item(meter, iterations, side, place);
}

fn word<C: Counter>(meter: Meter<C>, iterations: u32, side: Side, place: &Place) {
    let case = side.case("queue-self-word", 4);
    let [mut sent, mut wrong] = [0; 2];
    let figures = meter.measure(iterations, || {
        sent += 1;
        let _ = place.words.send(sent);
        wrong |= place.words.receive().map_or(u32::MAX, |got| got ^ sent);
    });
    if wrong != 0 || place.words.length() != Ok(0) {
        println!("@fail {}: not every word came back", case.name);
    }
    figures.report(case);
}

fn item<C: Counter>(meter: Meter<C>, iterations: u32, side: Side, place: &Place) {
    let case = side.case("queue-self-32B", 32);
    let mut sent = [0, 1, 2, 3, 4, 5, 6, 7];
    let mut got = [0; 8];
    let figures = meter.measure(iterations, || {
        // The item is in memory before, and after.
        black_box(&mut sent)[0] += 1;
        let _ = place.items.send(sent);
        if let Ok(item) = place.items.receive() {
            got = item;
        }
        black_box(&mut got);
    });
    if got != sent || sent[0] < iterations || place.items.length() != Ok(0) {
        println!("@fail {}: {got:?} came back", case.name);
    }
    figures.report(case);
}
