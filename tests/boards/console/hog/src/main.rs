//! Sends the console one message: sixteen parts, each the same 8 KiB.
#![no_std]

use riposte::{Instant, Part};

static TEXT: [u8; 8192] = [b' '; 8192];

#[riposte::main]
fn main() {
    let console = riposte::connect("console").unwrap();
    let _ = riposte::sleep_until(Instant::from_nanos(60_000_000));
    let _ = console.send_vector(&[Part::new(&TEXT); 16], &mut []);
}
