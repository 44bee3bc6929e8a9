//! Devices that the manifest gives a process.

use crate::trap;

/// A device whose registers this process may use: the manifest says so, and the memory
/// protection holds it to that.
#[derive(Clone, Copy, Debug)]
pub struct Peripheral {
    base: u32,
}

impl Peripheral {
    pub(crate) const fn at(base: u32) -> Peripheral {
        Peripheral { base }
    }

    /// The register's address: `offset` is taken modulo 4096 and down to a word, so that it stays
    /// within the smallest device.
    #[inline(always)]
    const fn register(self, offset: u32) -> u32 {
        self.base + (offset & 0xFFC)
    }

    /// The 32-bit register `offset` bytes (below 4096, word-aligned) from the device's base.
    #[inline(always)]
    #[must_use]
    pub fn read(self, offset: u32) -> u32 {
        trap::load(self.register(offset))
    }

    /// Writes the 32-bit register `offset` bytes (below 4096, word-aligned) from the base.
    #[inline(always)]
    pub fn write(self, offset: u32, value: u32) {
        trap::store(self.register(offset), value);
    }
}
