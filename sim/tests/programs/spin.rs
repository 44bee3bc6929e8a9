//! Never ends; for the limit of cycles, and to measure the simulator's speed.
#![no_std]
#![no_main]
mod board;

#[unsafe(no_mangle)]
#[inline(never)]
fn spin_for_ever() -> ! {
    let mut value = 1;
    loop {
        board::write(0x8010_0000, value);
        value = board::read(0x8010_0000).wrapping_mul(5) ^ 7;
    }
}

#[unsafe(no_mangle)]
fn main() {
    spin_for_ever();
}

#[unsafe(no_mangle)]
extern "C" fn trap(_cause: usize, _pc: usize, _value: usize) -> usize {
    board::exit(98);
}
