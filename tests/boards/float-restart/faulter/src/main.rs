//! Faults so that its end is half done when the floater begins to compute.
#![no_std]

use riposte::thread::{self, Settings};
use riposte::{Duration, Instant};

const MOMENT: Instant = Instant::from_nanos(20_000_000);
/// So long before.
const BEFORE: Duration = Duration::from_micros(24);

fn fault(_: usize) -> u32 {
    while Instant::now() < MOMENT - BEFORE {}
    panic!("now")
}

#[riposte::main]
fn main() {
    if Instant::now() < MOMENT - BEFORE {
        thread::spawn(fault, 0, Settings::new(5)).unwrap().detach();
        let _ = riposte::channel("silence").unwrap().receive_words();
    }
    // The innocent is the next one that uses floating point, not the floater in its new life.
    while Instant::now() < MOMENT + Duration::from_millis(5) {}
    let _ = riposte::sleep(Duration::from_millis(100_000));
}
