//! A stack that is used up.

use core::hint::black_box;

/// Needs ever more stack.
#[inline(never)]
pub fn overflow(depth: u32) -> u32 {
    let frame = black_box([depth; 8]);
    if depth == 0 {
        0
    } else {
        overflow(depth.wrapping_add(1)) + frame[0]
    }
}
