//! Prints a line just after a process of priority 2 has sent the console a long message.
#![no_std]

use check::{equal, holds};
use riposte::console::{self, ReadError};
use riposte::{Duration, Instant, println};

/// The console prints 4 KiB of a message, and an emulator takes an instruction for a nanosecond.
const MOST: Duration = Duration::from_micros(200);

#[riposte::main]
fn main() {
    let refused = [
        console::read_line(&mut [0]).map(|_| ()),
        console::try_read_key().map(|_| ()),
        console::lost_input().map(|_| ()),
    ];
    equal(
        "without the interrupt of its receiver the console reads nothing, and says so",
        refused,
        [Err(ReadError::NoInput); 3],
    );
    let _ = riposte::sleep_until(Instant::from_nanos(60_020_000));
    let before = Instant::now();
    println!(".");
    let waited = before.elapsed();
    holds(
        "a message of any length keeps others from the console no longer than its longest",
        waited < MOST,
    );
    check::done();
}
