//! Physical memory protection: entries, computed at build time.
//!
//! Every thread uses the same entries for the same purpose, so that a switch writes addresses and
//! never configurations: entry 0 is the guard below its stack, entry 1 its code, entry 2 its data,
//! and from entry 3 on its devices. What a thread does not use is pointed where it changes nothing:
//! the guard to the kernel's memory, a device to the thread's own data. Entries beyond [`REGIONS`](crate::build::REGIONS)
//! are off. No entry binds the kernel.

use crate::{build::REGIONS, write_csr};

/// A thread's addresses, one an entry.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Image(pub [u32; REGIONS]);

/// Bytes of the smallest region.
const SMALLEST: u32 = 8;
/// Naturally aligned, a power of two.
const NAPOT: u8 = 0b11 << 3;
const READ: u8 = 1 << 0;
const WRITE: u8 = 1 << 1;
const EXECUTE: u8 = 1 << 2;

/// The address word of `size` bytes (a power of two, at least 8) at `base` (a multiple of it).
#[must_use]
pub const fn region(base: u32, size: u32) -> u32 {
    assert!(size.is_power_of_two() && size >= SMALLEST && base & (size - 1) == 0);
    base >> 2 | (size - 1) >> 3
}

impl Image {
    /// Base and size of the guard.
    pub(crate) fn guard(&self) -> (u32, u32) {
        let word = self.0[0];
        let size = SMALLEST << word.trailing_ones();
        (word << 2 & !(size - 1), size)
    }
}

/// What every entry is for.
const fn configuration() -> [u32; 4] {
    let mut words = [0; 4];
    let mut entry = 0;
    while entry < REGIONS {
        let byte = NAPOT
            | match entry {
                0 => 0,
                1 => READ | EXECUTE,
                _ => READ | WRITE,
            };
        words[entry / 4] |= (byte as u32) << (entry % 4 * 8);
        entry += 1;
    }
    words
}

/// Configures the entries. What they apply to comes with each thread.
pub(crate) fn start() {
    const WORDS: [u32; 4] = configuration();
    // SAFETY: no entry is locked, so that none applies to machine mode.
    unsafe {
        write_csr!("pmpcfg0", WORDS[0]);
        write_csr!("pmpcfg1", WORDS[1]);
        write_csr!("pmpcfg2", WORDS[2]);
        write_csr!("pmpcfg3", WORDS[3]);
    }
}
