//! The counter of milliseconds turns over at each 100,000th cycle since reset.
#![no_std]
#![no_main]
mod board;

use board::{MILLISECONDS, check, read};

const CYCLES: u32 = 100_000;

#[unsafe(no_mangle)]
fn main() {
    check!(read(MILLISECONDS) == 0);
    for next in 1..4 {
        while read(MILLISECONDS) < next {}
        let now = board::cycles();
        board::println!("{next} ms: {now} cycles");
        check!(read(MILLISECONDS) == next);
        // Not before it is due, and no later than the loop takes to see it.
        check!(now >= next * CYCLES && now < next * CYCLES + 100);
    }
    check!(read(MILLISECONDS + 4) == 0);
    board::exit(0);
}

#[unsafe(no_mangle)]
extern "C" fn trap(_cause: usize, _pc: usize, _value: usize) -> usize {
    board::exit(98);
}
