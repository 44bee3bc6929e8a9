//! Measures what it takes to bring bytes through a pipe: a write here, and the read of another process that waits for
//! them.
#![no_std]

use measure::{Benchmark, Case, Counter, Meter, measure};
use riposte::println;
use riposte_pipe::{Pipes, Writer};

/// Bytes of a write that registers don't hold.
const LONG: usize = 64;

#[riposte::main]
fn main() {
    measure::<Costs>();
}

struct Costs;

impl Benchmark for Costs {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        let pipes = Pipes::connect("pipes").unwrap();
        let data = pipes.writer("data").unwrap();
        case(meter, "pipe-1B", iterations, &data, &[7]);
        case(meter, "pipe-64B", iterations, &data, &[7; LONG]);
        println!("@done");
        let error = riposte::shutdown(0);
        panic!("shutdown: {error}");
    }
}

#[inline(never)]
fn case<C: Counter>(
    meter: Meter<C>,
    name: &'static str,
    iterations: u32,
    data: &Writer<'_>,
    bytes: &[u8],
) {
    let figures = meter.measure(iterations, || {
        assert!(data.write(bytes) == Ok(bytes.len()), "a short write");
    });
    figures.report(Case {
        name,
        protected: true,
        bytes: bytes.len() as u32,
    });
}
