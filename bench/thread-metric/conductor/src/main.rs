//! Lets the tests run one after another, in the order of their connections, and measures the window of
//! each. A test has its turn from the answer to its first message until its process ends.
#![no_std]

use measure::{Benchmark, Counter, Meter};
use riposte::{Channel, Error, Event, Peer, println};

/// What a test says, as `report/report.c` has it: it waits for its turn,
const TURN: u32 = 1;
/// its window begins,
const BEGIN: u32 = 2;
/// its window ends: it is told the ticks.
const END: u32 = 3;

struct Conductor;

impl Benchmark for Conductor {
    fn run<C: Counter>(meter: Meter<C>) {
        let tests = riposte::channel("tests").unwrap();
        for badge in 1..=riposte::setting("tests").unwrap() {
            conduct(meter, &tests, badge);
        }
    }
}

/// The turn of the test whose connection has this badge.
fn conduct<C: Counter>(meter: Meter<C>, tests: &Channel, badge: u32) {
    let clock = meter.clock();
    let mut began = 0;
    loop {
        let message = match tests.receive_from(Peer::Badge(badge), &mut []) {
            Ok(Event::Message(message)) => message,
            Err(Error::PeerDied) => return,
            other => panic!("{other:?}"),
        };
        let ticks = match message.words()[0] {
            TURN => 0,
            BEGIN => {
                meter.begin();
                began = clock.left();
                0
            }
            END => {
                let ticks = began.wrapping_sub(clock.left());
                meter.end();
                ticks
            }
            other => panic!("a test says {other}"),
        };
        message.reply_words([ticks]).unwrap();
    }
}

#[riposte::main]
fn main() {
    measure::measure::<Conductor>();
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}
