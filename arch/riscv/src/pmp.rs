//! Physical memory protection: entries, computed at build time.
//!
//! Every thread uses the same entries for the same purpose, so that a switch writes addresses and
//! never configurations: entry 0 is the guard below its stack, entry 1 its code, entry 2 its data,
//! and from entry 3 on its devices. What a thread does not use is pointed where it changes nothing:
//! the guard to the kernel's memory, a device to the thread's own data. Entries beyond [`REGIONS`](crate::build::REGIONS)
//! are off. No entry binds the kernel.

use riposte_kernel::Thread;

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

/// Writes the PMP addresses at `{image}(a1)`. Leaves some of them in t0 to t3. Where the board's
/// emulator asks for it ([`REFRESH`](crate::build::REFRESH)), it also sets a bit of a configuration that is set already.
macro_rules! protect {
    () => {
        concat!(
            "lw    t0, {image}(a1)\n",
            "lw    t1, {image} + 4(a1)\n",
            "lw    t2, {image} + 8(a1)\n",
            ".if {regions} > 3\n",
            "lw    t3, {image} + 12(a1)\n",
            ".else\n",
            "li    t3, 0\n",
            ".endif\n",
            "csrw  pmpaddr0, t0\n",
            "csrw  pmpaddr1, t1\n",
            "csrw  pmpaddr2, t2\n",
            ".if {regions} > 3\n",
            "csrw  pmpaddr3, t3\n",
            ".endif\n",
            ".if {regions} > 4\n",
            "lw    t0, {image} + 16(a1)\n",
            "csrw  pmpaddr4, t0\n",
            ".endif\n",
            ".if {regions} > 5\n",
            "lw    t0, {image} + 20(a1)\n",
            "csrw  pmpaddr5, t0\n",
            ".endif\n",
            ".if {regions} > 6\n",
            "lw    t0, {image} + 24(a1)\n",
            "csrw  pmpaddr6, t0\n",
            ".endif\n",
            ".if {regions} > 7\n",
            "lw    t0, {image} + 28(a1)\n",
            "csrw  pmpaddr7, t0\n",
            ".endif\n",
            ".if {regions} > 8\n",
            "lw    t0, {image} + 32(a1)\n",
            "csrw  pmpaddr8, t0\n",
            ".endif\n",
            ".if {regions} > 9\n",
            "lw    t0, {image} + 36(a1)\n",
            "csrw  pmpaddr9, t0\n",
            ".endif\n",
            ".if {regions} > 10\n",
            "lw    t0, {image} + 40(a1)\n",
            "csrw  pmpaddr10, t0\n",
            ".endif\n",
            ".if {regions} > 11\n",
            "lw    t0, {image} + 44(a1)\n",
            "csrw  pmpaddr11, t0\n",
            ".endif\n",
            ".if {regions} > 12\n",
            "lw    t0, {image} + 48(a1)\n",
            "csrw  pmpaddr12, t0\n",
            ".endif\n",
            ".if {regions} > 13\n",
            "lw    t0, {image} + 52(a1)\n",
            "csrw  pmpaddr13, t0\n",
            ".endif\n",
            ".if {regions} > 14\n",
            "lw    t0, {image} + 56(a1)\n",
            "csrw  pmpaddr14, t0\n",
            ".endif\n",
            ".if {regions} > 15\n",
            "lw    t0, {image} + 60(a1)\n",
            "csrw  pmpaddr15, t0\n",
            ".endif\n",
            ".if {refresh}\n",
            "csrsi pmpcfg0, 8\n",
            ".endif\n",
        )
    };
}
pub(crate) use protect;

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

/// What a thread may touch was computed when the image was built: nothing is left to do.
pub(crate) fn begin(_: &[Thread]) {}
