//! Reads where nothing is: Ibex takes a fault; VexRiscv cannot, and the harness warns.
#![no_std]
#![no_main]
mod board;

#[unsafe(no_mangle)]
fn main() {
    let value = board::read(0x4000_0000);
    board::exit(value);
}

#[unsafe(no_mangle)]
extern "C" fn trap(cause: usize, _pc: usize, value: usize) -> usize {
    board::check!(cause == 5 && value == 0x4000_0000);
    board::exit(5);
}
