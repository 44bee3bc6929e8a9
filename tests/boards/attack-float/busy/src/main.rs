//! Preempts all others from the second millisecond to the fourth.
#![no_std]

use riposte::{Duration, Instant};

const MILLISECOND: u64 = 1_000_000;

#[riposte::main]
fn main() {
    riposte::sleep_until(Instant::from_nanos(2 * MILLISECOND)).unwrap();
    while riposte::Instant::now() < Instant::from_nanos(4 * MILLISECOND) {}
    loop {
        riposte::sleep(Duration::from_millis(1000)).unwrap();
    }
}
