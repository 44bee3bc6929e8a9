//! What copies alone cost, to compare messages with.

use core::array::from_fn;
use core::hint::black_box;

use measure::{Case, Counter, Figures, Meter};
use riposte::{Block, println};

const BYTES: usize = 4096;
const BLOCKS: usize = BYTES / size_of::<Block>();

/// `memcpy-4096B`: what the language's own copy of 4096 bytes costs, in one process's memory.
pub fn memcpy<C: Counter>(meter: Meter<C>, iterations: u32) {
    let from = [0x5A_u8; BYTES];
    let mut to = [0_u8; BYTES];
    let figures = meter.measure(iterations, || {
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
    });
    report("memcpy-4096B", figures, to == from);
}

/// `best-copy-4096B`: the fastest copy of 4096 bytes that an unprivileged process can do, by the same
/// instructions as the kernel's copy of messages.
pub fn best<C: Counter>(meter: Meter<C>, iterations: u32) {
    let from: [Block; BLOCKS] = from_fn(|block| from_fn(|word| (block * 8 + word) as u32 + 1));
    let mut to = [[0_u32; 8]; BLOCKS];
    let figures = meter.measure(iterations, || {
        riposte::copy_blocks(&mut to, black_box(&from));
        black_box(&mut to);
    });
    report("best-copy-4096B", figures, to == from);
}

fn report(name: &'static str, figures: Figures, is_right: bool) {
    let case = Case {
        name,
        protected: false,
        bytes: BYTES as u32,
    };
    if is_right {
        figures.report(case);
    } else {
        println!("@fail {name}: the copy differs");
    }
}
