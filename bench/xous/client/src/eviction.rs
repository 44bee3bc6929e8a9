//! How the caches are made cold between two calls: the client reads more memory than all of them
//! hold, and runs through more code than the instruction cache holds.

use core::arch::asm;
use core::hint::black_box;

/// Twice the largest cache of the publication's machine, in words.
const WORDS: usize = 256 * 1024 / 4;
/// The shortest line of a cache, in words.
const LINE: usize = 8;

static MEMORY: [u32; WORDS] = [1; WORDS];

/// Leaves nothing in the caches but what this takes itself.
#[inline(never)]
pub fn evict() {
    let sum: u32 = MEMORY.iter().step_by(LINE).sum();
    assert_eq!(black_box(sum) as usize, WORDS / LINE);
    // SAFETY: it does nothing. 16 KiB of code where instructions have two bytes, else 32 KiB.
    unsafe {
        asm!(
            ".rept 8192",
            "nop",
            ".endr",
            options(nomem, nostack, preserves_flags)
        )
    }
}
