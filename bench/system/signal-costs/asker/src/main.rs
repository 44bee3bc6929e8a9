//! Sends signals to the other process and to itself, and measures until they have been handled.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use measure::{Benchmark, Case, Counter, Meter};
use riposte::println;
use riposte::signal::{self, Mask, Set, Signal};

/// Signals handled.
static HANDLED: AtomicU32 = AtomicU32::new(0);

fn count(_: Signal, _: u32) {
    HANDLED.store(HANDLED.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

struct System;

impl Benchmark for System {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        let to_self = meter.measure(iterations, || {
            let _ = signal::raise(Signal::USER_2, 0);
        });
        let protected = Case {
            name: "signal-self",
            protected: true,
            bytes: 0,
        };
        to_self.report(protected);

        let answerer = signal::target("answerer").unwrap();
        let mask = Mask::block(Set::of(&[Signal::USER_1])).unwrap();
        let before = HANDLED.load(Ordering::Relaxed);
        let mut turns = 0;
        let there_and_back = meter.measure(iterations, || {
            turns += 1;
            let _ = answerer.send(Signal::USER_1, 0);
            let _ = signal::suspend(mask.before());
        });
        if HANDLED.load(Ordering::Relaxed) != before.wrapping_add(turns) {
            println!("@fail signal-round-trip: not each one came back");
            return;
        }
        there_and_back.report(Case {
            name: "signal-round-trip",
            ..protected
        });
    }
}

#[riposte::main]
fn main() {
    // SAFETY: it uses an atomic, and nothing else.
    unsafe {
        signal::handle(Signal::USER_1, count).unwrap();
        signal::handle(Signal::USER_2, count).unwrap();
    }
    // The other one waits for signals by now.
    riposte::yield_now();
    measure::measure::<System>();
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}
