//! How long each system call takes at most: its longest known path, brought about call by call.
//!
//! A call takes until whoever runs next runs: its caller, or somebody else. That somebody says so
//! ([`watch::Watch::witness`]).
#![no_std]

mod crowd;
mod end;
mod message;
mod simple;
mod waiters;
mod watch;

use measure::{Benchmark, Counter, Meter};
use riposte::println;

use watch::Watch;

struct Longest;

impl Benchmark for Longest {
    fn run<C: Counter>(_started: Meter<C>) {
        let watch = Watch::new();
        // All processes have begun, and wait.
        crowd::settle();
        simple::all(watch);
        waiters::all(watch);
        message::all(watch);
        end::all(watch);
    }
}

#[riposte::thread]
fn spinner() -> ! {
    message::spin(Watch::new())
}

#[riposte::main]
fn main() {
    match riposte::process_name() {
        "driver" => {
            measure::measure::<Longest>();
            println!("@done");
            let error = riposte::shutdown(0);
            panic!("shutdown: {error}");
        }
        "victim" => end::victim(),
        name => message::link(name),
    }
}
