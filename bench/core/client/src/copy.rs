//! `memcpy-4096B`: what the copy alone costs, to compare messages with.

use core::hint::black_box;

use measure::{Case, Counter, Meter};
use riposte::println;

const BYTES: usize = 4096;

/// One copy of 4096 bytes in one process's memory.
pub fn memcpy<C: Counter>(meter: Meter<C>, iterations: u32) {
    let from = [0x5A_u8; BYTES];
    let mut to = [0_u8; BYTES];
    let figures = meter.measure(iterations, || {
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
    });
    let case = Case {
        name: "memcpy-4096B",
        protected: false,
        bytes: BYTES as u32,
    };
    if to == from {
        figures.report(case);
    } else {
        println!("@fail {}: the copy differs", case.name);
    }
}
