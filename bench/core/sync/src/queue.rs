//! Queues that a thread sends to and receives from itself, so that nobody waits.

use measure::{Counter, Meter, SAMPLES};
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
    let queue = &place.words;
    let mut count = 0;
    let figures = meter.measure(iterations, || {
        let _ = queue.send(count);
        // Only if each comes back, there are as many in the end as turns.
        count = queue.receive().unwrap_or(0) + 1;
    });
    if count != iterations + SAMPLES + 1 || queue.length() != Ok(0) {
        println!("@fail {}: {count} came back", case.name);
    }
    figures.report(case);
}

fn item<C: Counter>(meter: Meter<C>, iterations: u32, side: Side, place: &Place) {
    const SENT: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
    let case = side.case("queue-self-32B", 32);
    let queue = &place.items;
    let mut item = SENT;
    let figures = meter.measure(iterations, || {
        let _ = queue.send(item);
        // What came back is sent again. If nothing did, there is something left in the end.
        if let Ok(got) = queue.receive() {
            item = got;
        }
    });
    if item != SENT || queue.length() != Ok(0) {
        println!("@fail {}: {item:?} came back", case.name);
    }
    figures.report(case);
}
