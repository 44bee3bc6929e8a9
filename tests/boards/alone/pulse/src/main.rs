//! Interrupts whoever is less urgent, at every instruction in the end.
#![no_std]

use riposte::{Duration, Instant};

#[riposte::main]
fn main() {
    // What a sleep takes by itself is not theirs: where that is as long as a period they would never run.
    let begun = Instant::now();
    for _ in 0..2 {
        riposte::sleep(Duration::from_micros(2)).unwrap();
    }
    let itself = begun.elapsed();
    // The periods of those it interrupts are other ones.
    for nanoseconds in (10_007..20_000).step_by(13).cycle() {
        riposte::sleep(itself + Duration::from_nanos(nanoseconds)).unwrap();
    }
}
