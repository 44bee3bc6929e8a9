//! Prints when each of twenty interrupts was raised, and how long until its handler ran.
#![no_std]
#![no_main]
mod board;

use board::{CLAIM, INTERRUPTS, check, read, write};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

static TAKEN: AtomicU32 = AtomicU32::new(0);
static RAISED_AT: AtomicU32 = AtomicU32::new(0);
static LATE: AtomicU32 = AtomicU32::new(0);

#[unsafe(no_mangle)]
extern "C" fn trap(cause: usize, pc: usize, _value: usize) -> usize {
    let now = board::cycles();
    check!(cause == board::CAUSE_EXTERNAL);
    let raised = read(board::RAISED_LOW);
    RAISED_AT.store(raised, Relaxed);
    LATE.store(now - raised, Relaxed);
    write(CLAIM, read(CLAIM));
    TAKEN.store(TAKEN.load(Relaxed) + 1, Relaxed);
    pc
}

#[unsafe(no_mangle)]
fn main() {
    write(INTERRUPTS + 4 * 3, 1);
    write(INTERRUPTS + 0x2000, 1 << 3);
    board::enable_interrupts(1 << 11);
    for count in 1..=20 {
        while TAKEN.load(Relaxed) < count {}
        board::println!("{} {}", RAISED_AT.load(Relaxed), LATE.load(Relaxed));
    }
    board::exit(0);
}
