//! The same operations while there are more and more threads, channels or processes: what they cost
//! may not grow. The manifests beside this differ in what there is much of; the first figures are those
//! of a system in which there is little.
#![no_std]

mod crowd;
mod operation;
mod pending;

use measure::{Benchmark, Counter, Meter};
use riposte::println;

use operation::Size;

struct Growth;

impl Benchmark for Growth {
    fn run<C: Counter>(meter: Meter<C>) {
        let measure = |number, what| operation::all(meter, Size { number, what });
        if let Ok(crowds) = riposte::setting("crowds") {
            crowd::series(crowds, |threads| measure(threads, "threads"));
        } else if let Ok(channels) = riposte::setting("pending") {
            pending::series(channels, |channels| measure(channels, "channels"));
        } else if let Ok(members) = riposte::setting("members") {
            operation::members(members, |processes| measure(processes, "processes"));
        } else {
            measure(operation::THREADS, "threads");
            measure(operation::CHANNELS, "channels");
            measure(operation::PROCESSES, "processes");
        }
    }
}

#[riposte::thread]
fn pong() -> ! {
    operation::pong()
}

#[riposte::thread]
fn notified() -> ! {
    operation::notified()
}

#[riposte::thread]
fn sender() -> ! {
    operation::send()
}

#[riposte::main]
fn main() {
    match riposte::process_name() {
        "driver" => {
            measure::measure::<Growth>();
            println!("@done");
            let error = riposte::shutdown(0);
            panic!("shutdown: {error}");
        }
        "server" => core_echo::serve_words::<1>(riposte::channel("words").unwrap()),
        name => crowd::serve(name),
    }
}
