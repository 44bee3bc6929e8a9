//! Sends after a millisecond, and leaves after the third: until then it lends its priority.
#![no_std]

use riposte::{Deadline, Duration, Instant};

const MILLISECOND: u64 = 1_000_000;

#[riposte::main]
fn main() {
    let keeper = riposte::connect("keeper").unwrap();
    riposte::sleep_until(Instant::from_nanos(MILLISECOND)).unwrap();
    let end = Deadline::At(Instant::from_nanos(3 * MILLISECOND));
    let _ = keeper.send_until(&[], &mut [], end);
    loop {
        riposte::sleep(Duration::from_millis(1000)).unwrap();
    }
}
