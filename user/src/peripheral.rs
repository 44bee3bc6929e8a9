//! Devices that the manifest gives a process.

use riposte_abi::process_info::kind::DEVICE;

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

    /// What the board says it is, such as `ns16550`: which driver it takes. Empty if the board does
    /// not say.
    #[must_use]
    pub fn kind(self) -> &'static str {
        trap::entries()
            .find(|entry| entry.kind == DEVICE && entry.value == self.base)
            .map_or("", |entry| entry.name)
    }

    /// The address of its first register.
    #[must_use]
    pub const fn address(self) -> u32 {
        self.base
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

    /// The byte-sized register `offset` bytes (taken modulo 4096) from the device's base.
    #[inline(always)]
    #[must_use]
    pub fn read_byte(self, offset: u32) -> u8 {
        trap::load_byte(self.base + (offset & 0xFFF))
    }

    /// Writes the byte-sized register `offset` bytes (taken modulo 4096) from the base.
    #[inline(always)]
    pub fn write_byte(self, offset: u32, value: u8) {
        trap::store_byte(self.base + (offset & 0xFFF), value);
    }
}
