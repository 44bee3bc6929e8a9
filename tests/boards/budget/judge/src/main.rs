//! What the timers of a less urgent process cost this one.
#![no_std]

use core::hint::black_box;

use check::{done, equal, holds};
use riposte::{Channel, Duration, Event, Instant, println};

/// How often in a second the other process's timers may be due, as its manifest says.
const RATE: u64 = 10_000;
/// How long it works at a time.
const WORK: Duration = Duration::from_millis(20);

/// So many steps of something that only takes time.
fn work(steps: u32) -> Duration {
    let before = Instant::now();
    for step in 0..steps {
        black_box(step);
    }
    Instant::now() - before
}

/// What the other process says next. It has gone on until it waits when this returns.
fn report(reports: &Channel) -> u32 {
    let said = match reports.receive(&mut []) {
        Ok(Event::Message(message)) => {
            let said = message.words()[0];
            message.reply_words([0; 5]).unwrap();
            said
        }
        _ => 0,
    };
    riposte::sleep(Duration::from_millis(2)).unwrap();
    said
}

#[riposte::main]
fn main() {
    let reports = riposte::channel("reports").unwrap();
    let probe = 1000;
    let steps = (probe as u128 * WORK.as_nanos() / work(probe).as_nanos()) as u32;
    let alone = work(steps);
    equal(
        "22 of timers that are as fast as can be only so many run as the manifest allows",
        report(&reports),
        1,
    );
    equal(
        "22 timers that keep together to the rate of the manifest all run",
        report(&reports),
        16,
    );
    let disturbed = work(steps);
    let lost = disturbed.saturating_sub(alone);
    let events = disturbed.as_nanos() as u64 * RATE / 1_000_000_000;
    println!("@event {}", lost.as_nanos() as u64 / events);
    holds(
        "22 timers of the least urgent process take no more than their rate from the most urgent",
        lost < WORK / 2,
    );
    done();
}
