//! What it costs that threads wait for each other, or only make sure that they need not. The driver
//! measures each case twice: with a thread of its own, and with one of another process.
#![no_std]

mod lock;
mod notice;
mod place;
mod queue;
mod semaphore;

use measure::{Benchmark, Case, Counter, Meter};
use place::Place;
use riposte::println;

struct Sync;

impl Benchmark for Sync {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        for side in [Side::Across, Side::Within] {
            let place = side.place();
            semaphore::ping_pong(meter, iterations, side, place);
            semaphore::uncontended(meter, iterations, side, place);
            lock::uncontended(meter, iterations, side, place);
            lock::contended(meter, iterations, side, place);
            queue::to_self(meter, iterations, side, place);
            notice::notification(meter, iterations, side, place);
            notice::proxy("proxy", meter, iterations, side, place);
        }
    }
}

/// What a kernel takes longer that traces.
struct Traced;

impl Benchmark for Traced {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        let place = Side::Across.place();
        notice::proxy("proxy-traced", meter, iterations, Side::Across, place);
    }
}

/// Where the other thread is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// In another process.
    Across,
    /// In this one.
    Within,
}

impl Side {
    /// Where both threads meet.
    fn place(self) -> &'static Place {
        match self {
            Side::Across => place::shared(),
            Side::Within => &place::OWN,
        }
    }

    fn case(self, name: &'static str, bytes: u32) -> Case {
        Case {
            name,
            protected: self == Side::Across,
            bytes,
        }
    }
}

/// Fails the case if `what` happened some other number of times than expected.
fn expect(case: Case, what: &str, times: u32, expected: u32) {
    if times != expected {
        let name = case.name;
        println!("@fail {name}: {what} {times} times, expected {expected}");
    }
}

#[riposte::thread]
fn pong() -> ! {
    semaphore::pong(place::of_this_process())
}

#[riposte::thread]
fn rival() -> ! {
    lock::rival(place::of_this_process())
}

#[riposte::thread]
fn notified() -> ! {
    notice::receive(place::of_this_process())
}

#[riposte::main]
fn main() {
    if riposte::process_name() == "driver" {
        if riposte::setting("traced").is_ok() {
            measure::measure::<Traced>();
        } else {
            measure::measure::<Sync>();
        }
        println!("@done");
        let error = riposte::shutdown(0);
        panic!("shutdown: {error}");
    }
    // The other threads are the process's work.
    riposte::sleep_until(riposte::Instant::from_nanos(u64::MAX)).unwrap();
}
