//! Moves pins and REPORT; the waveform must say the same.
#![no_std]
#![no_main]
mod board;

use board::{GPIO, GPIO_CLEAR, GPIO_SET, REPORT, check, read, write};

#[unsafe(no_mangle)]
fn main() {
    for i in 0..5 {
        write(GPIO_SET, 1);
        write(REPORT, 0x100 + i);
        write(GPIO_CLEAR, 1);
    }
    write(GPIO, 0x8002);
    check!(read(GPIO) == 0x8002);
    write(GPIO_SET, 0x10);
    check!(read(GPIO) == 0x8012);
    write(GPIO_CLEAR, 0x8000);
    check!(read(GPIO) == 0x12);
    check!(read(REPORT) == 0x104);
    board::exit(0);
}

#[unsafe(no_mangle)]
extern "C" fn trap(_cause: usize, _pc: usize, _value: usize) -> usize {
    board::exit(98);
}
