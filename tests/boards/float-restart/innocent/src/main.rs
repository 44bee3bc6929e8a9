//! Uses floating point for the first time when all is over.
#![no_std]

use core::arch::asm;

use riposte::Instant;

#[riposte::main]
fn main() {
    let results = riposte::connect("results").unwrap();
    let _ = riposte::sleep_until(Instant::from_nanos(23_000_000));
    let found: u32;
    // SAFETY: the registers are listed.
    unsafe { asm!("vmov s1, {0}", "vmov {0}, s1", inout(reg) 42 => found, out("s1") _) };
    results.send_words([found]).unwrap();
}
