//! Lets others of its priority run, as long as the keeper needs.
#![no_std]

use riposte::Instant;

const MILLISECOND: u64 = 1_000_000;

#[riposte::main]
fn main() {
    while riposte::Instant::now() < Instant::from_nanos(40 * MILLISECOND) {
        for _ in 0..100 {
            riposte::yield_now();
        }
    }
}
