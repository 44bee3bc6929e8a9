//! The timer interrupt comes when mtime reaches mtimecmp, not before, and goes when it is set anew.
#![no_std]
#![no_main]
mod board;

use board::{CAUSE_TIMER, MTIME, MTIMECMP, check, read, write};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

static TAKEN: AtomicU32 = AtomicU32::new(0);
static TAKEN_AT: AtomicU32 = AtomicU32::new(0);

#[unsafe(no_mangle)]
extern "C" fn trap(cause: usize, pc: usize, _value: usize) -> usize {
    check!(cause == CAUSE_TIMER);
    TAKEN_AT.store(read(MTIME), Relaxed);
    TAKEN.store(TAKEN.load(Relaxed) + 1, Relaxed);
    write(MTIMECMP, u32::MAX);
    write(MTIMECMP + 4, u32::MAX);
    pc
}

fn wait_for_interrupt() {
    // SAFETY: an interrupt is due.
    unsafe { core::arch::asm!("wfi") }
}

#[unsafe(no_mangle)]
fn main() {
    board::enable_interrupts(1 << 7);
    for delay in [300, 1000, 1001, 5000] {
        let before = TAKEN.load(Relaxed);
        let due = read(MTIME) + delay;
        write(MTIMECMP, due);
        write(MTIMECMP + 4, 0);
        while read(MTIME) < due - 60 {
            check!(TAKEN.load(Relaxed) == before);
        }
        wait_for_interrupt();
        check!(TAKEN.load(Relaxed) == before + 1);
        let late = TAKEN_AT.load(Relaxed) - due;
        board::println!("{late} cycles late");
        check!(late < 250);
    }
    let start = (board::cycles(), read(MTIME));
    while read(MTIME) - start.1 < 100 {}
    board::println!("100 ticks: {}", board::cycles() - start.0);
    // A write to mtime takes effect.
    write(MTIME + 4, 7);
    check!(read(MTIME + 4) == 7);
    write(MTIME, 0xFFFF_FF00);
    check!(read(MTIME) >= 0xFFFF_FF00);
    // Also one that sets it back: nothing is due until mtimecmp is reached again.
    let before = TAKEN.load(Relaxed);
    write(MTIME + 4, 0);
    write(MTIME, 0);
    while read(MTIME) < 200 {}
    check!(TAKEN.load(Relaxed) == before);
    let due = read(MTIME) + 1000;
    write(MTIMECMP, due);
    write(MTIMECMP + 4, 0);
    check!(TAKEN.load(Relaxed) == before);
    wait_for_interrupt();
    check!(TAKEN.load(Relaxed) == before + 1 && TAKEN_AT.load(Relaxed) >= due);
    board::exit(0);
}
