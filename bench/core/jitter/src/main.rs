//! A timer that wakes a thread while another one does everything else.
#![no_std]

mod timer;

use measure::{Benchmark, Case, Counter, Meter};
use riposte::println;

struct Jitter;

impl Benchmark for Jitter {
    /// `timer-jitter`: what lies between the earliest and the latest instant at which the timer's
    /// thread runs.
    fn run<C: Counter>(_: Meter<C>) {
        let (figures, rounds) = timer::measure(&mut [[1; timer::BYTES]; 2]);
        if rounds < 2 {
            println!("@fail timer-jitter: the other operations ran {rounds} times");
        }
        figures.report(Case {
            name: "timer-jitter",
            protected: true,
            bytes: 0,
        });
    }
}

#[riposte::thread]
fn ticker() -> ! {
    timer::tick()
}

#[riposte::main]
fn main() {
    if riposte::process_name() == "server" {
        core_echo::serve_bytes(riposte::channel("server").unwrap());
    }
    measure::measure::<Jitter>();
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}
