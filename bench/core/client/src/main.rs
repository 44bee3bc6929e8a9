//! The client of the core benchmark: measures what the kernel's operations cost, across two
//! processes and, with the same servers as threads of its own, within one.
#![no_std]

mod bytes;
mod copy;
mod local;
mod switch;
mod words;

use measure::{Benchmark, Counter, Meter};
use riposte::println;

struct Core;

impl Benchmark for Core {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        words::empty(meter, iterations);
        words::one(meter, iterations);
        words::five(meter, iterations);
        bytes::all(meter, iterations);
        switch::null_call(meter, iterations);
        switch::yield_now(meter, iterations);
        copy::memcpy(meter, iterations);
        copy::best(meter, iterations);
    }
}

#[riposte::main]
fn main() {
    measure::measure::<Core>();
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}
