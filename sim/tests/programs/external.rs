//! External interrupts: raised by software, claimed by priority, completed, masked.
#![no_std]
#![no_main]
mod board;

use board::{CAUSE_EXTERNAL, CAUSE_SOFTWARE, CLAIM, INTERRUPTS, RAISE, TIMER, check, read, write};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

const PRIORITY: usize = INTERRUPTS;
const PENDING: usize = INTERRUPTS + 0x1000;
const ENABLE: usize = INTERRUPTS + 0x2000;
const THRESHOLD: usize = INTERRUPTS + 0x20_0000;

/// The lines served, as hexadecimal digits, the last one lowest.
static SERVED: AtomicU32 = AtomicU32::new(0);
static RAISED_WHILE_SERVED: AtomicU32 = AtomicU32::new(0);
static SOFTWARE: AtomicU32 = AtomicU32::new(0);

#[unsafe(no_mangle)]
extern "C" fn trap(cause: usize, pc: usize, _value: usize) -> usize {
    if cause == CAUSE_SOFTWARE {
        write(TIMER, 0);
        SOFTWARE.store(SOFTWARE.load(Relaxed) + 1, Relaxed);
        return pc;
    }
    check!(cause == CAUSE_EXTERNAL);
    let line = read(CLAIM);
    SERVED.store(SERVED.load(Relaxed) << 4 | line, Relaxed);
    if line == 9 && RAISED_WHILE_SERVED.load(Relaxed) == 0 {
        RAISED_WHILE_SERVED.store(1, Relaxed);
        write(RAISE, 1 << 9);
        check!(read(CLAIM) == 0);
    }
    write(CLAIM, line);
    pc
}

/// Long enough for an interrupt to be taken.
fn pause() {
    for _ in 0..8 {
        read(PENDING);
    }
}

#[unsafe(no_mangle)]
fn main() {
    for line in [3, 5, 9] {
        write(PRIORITY + 4 * line, 1);
    }
    write(PRIORITY + 4 * 5, 4);
    write(ENABLE, 1 << 3 | 1 << 5 | 1 << 9);

    // Nothing happens while interrupts are off; then the highest priority comes first.
    write(RAISE, 1 << 3 | 1 << 5 | 1 << 4);
    pause();
    check!(SERVED.load(Relaxed) == 0);
    check!(read(PENDING) == 1 << 3 | 1 << 5 | 1 << 4);
    board::enable_interrupts(1 << 11 | 1 << 3);
    pause();
    check!(SERVED.load(Relaxed) == 0x53);
    // Line 4 is not enabled, and stays pending.
    check!(read(PENDING) == 1 << 4);

    // Raised again while it is being served: served again, afterwards.
    write(RAISE, 1 << 9);
    pause();
    check!(SERVED.load(Relaxed) == 0x5399);

    // At or below the threshold nothing comes.
    write(THRESHOLD, 1);
    write(RAISE, 1 << 3);
    pause();
    check!(SERVED.load(Relaxed) == 0x5399);
    write(THRESHOLD, 0);
    pause();
    check!(SERVED.load(Relaxed) == 0x5_3993);

    write(TIMER, 1);
    pause();
    check!(SOFTWARE.load(Relaxed) == 1);
    board::exit(0);
}
