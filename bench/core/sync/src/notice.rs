//! Notices that a more urgent thread receives at once.

use measure::{Counter, Meter, SAMPLES};
use riposte::{Event, Notice, Proxy};

use crate::place::Place;
use crate::{Side, expect};

/// `notification`: sets a bit of a channel; who waits there receives it and waits again, before the call
/// returns.
pub fn notification<C: Counter>(meter: Meter<C>, iterations: u32, side: Side, place: &Place) {
    let case = side.case("notification", 0);
    let before = place.turns.load();
    let figures = match side {
        Side::Within => {
            let channel = riposte::channel("notices").unwrap();
            meter.measure(iterations, || channel.notify(1).unwrap())
        }
        Side::Across => {
            let channel = riposte::connect("peer-notices").unwrap();
            meter.measure(iterations, || channel.notify(1).unwrap())
        }
    };
    let received = place.turns.load() - before;
    expect(case, "it was received", received, iterations + SAMPLES + 1);
    figures.report(case);
}

/// The message of the proxies.
const TICK: &[u8] = b"tick";

/// `proxy`: triggers a proxy; who waits at its channel receives its four bytes and waits again, before
/// the call returns. `proxy-traced`: so it does in a kernel that traces.
pub fn proxy<C: Counter>(
    name: &'static str,
    meter: Meter<C>,
    iterations: u32,
    side: Side,
    place: &Place,
) {
    let case = side.case(name, TICK.len() as u32);
    let before = place.turns.load();
    let proxy = match side {
        Side::Within => Proxy::new(&riposte::channel("notices").unwrap(), TICK).unwrap(),
        Side::Across => riposte::proxy("peer-proxy").unwrap(),
    };
    let figures = meter.measure(iterations, || proxy.trigger().unwrap());
    let received = place.turns.load() - before;
    expect(case, "it was received", received, iterations + SAMPLES + 1);
    figures.report(case);
}

/// The more urgent thread.
pub fn receive(place: &Place) -> ! {
    let channel = match riposte::process_name() {
        "driver" => riposte::channel("notices"),
        _ => riposte::channel("peer-notices"),
    };
    let channel = channel.unwrap();
    let mut buffer = [0; TICK.len()];
    loop {
        match channel.receive(&mut buffer) {
            Ok(Event::Notice(Notice::Bits { bits: 1 })) => {}
            Ok(Event::Notice(Notice::Proxy { bytes: TICK, .. })) => {}
            other => panic!("received {other:?}"),
        }
        place.count();
    }
}
