//! Prints what is typed, until `q`: each byte comes with an interrupt.
#![no_std]
#![no_main]
mod board;

use board::{CAUSE_EXTERNAL, CLAIM, CONSOLE, INTERRUPTS, check, read, write};

const STATE: usize = CONSOLE + 4;
const CONTROL: usize = CONSOLE + 8;
const LINE: usize = 10;

#[unsafe(no_mangle)]
extern "C" fn trap(cause: usize, pc: usize, _value: usize) -> usize {
    check!(cause == CAUSE_EXTERNAL);
    let line = read(CLAIM);
    check!(line as usize == LINE && read(STATE) == 1);
    let byte = read(CONSOLE);
    // It is taken, and the next one is not there yet.
    check!(read(STATE) == 0);
    write(CONSOLE, byte);
    if byte == u32::from(b'q') {
        board::exit(0);
    }
    write(CLAIM, line);
    pc
}

#[unsafe(no_mangle)]
fn main() {
    write(INTERRUPTS + 4 * LINE, 1);
    write(INTERRUPTS + 0x2000, 1 << LINE);
    write(CONTROL, 1);
    board::enable_interrupts(1 << 11);
    loop {
        // SAFETY: it waits for an interrupt, and changes nothing.
        unsafe { core::arch::asm!("wfi") };
    }
}
