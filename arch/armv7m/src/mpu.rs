//! The memory protection unit: region words, computed at build time.
//!
//! A thread's image is [`REGIONS`] pairs of RBAR and RASR that a switch writes through the
//! aliases. Region 0 is always code: while the words of two images are mixed, the kernel can still
//! fetch its own. The kernel itself runs on the default map.

include!(concat!(env!("OUT_DIR"), "/regions.rs"));

/// What the unprivileged may do with a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Read and execute.
    Code,
    /// Read and write.
    Data,
    /// Read and write device registers.
    Device,
    /// Nothing: below a stack.
    Guard,
}

const VALID: u32 = 1 << 4;
const ENABLE: u32 = 1;
const NO_EXECUTE: u32 = 1 << 28;
const FULL_ACCESS: u32 = 0b011 << 24;
const PRIVILEGED_ONLY: u32 = 0b001 << 24;
const READ_ONLY: u32 = 0b110 << 24;
/// Normal memory, write-through, not shared.
const NORMAL: u32 = 0b010 << 16;
/// Device memory, shared.
const DEVICE: u32 = 0b101 << 16;

/// A thread's protection image.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Image(pub [[u32; 2]; REGIONS]);

/// Region `number` over `size` bytes (a power of two, at least 32) at `base` (a multiple of it).
#[must_use]
pub const fn region(number: u32, base: u32, size: u32, rights: Rights) -> [u32; 2] {
    assert!(size.is_power_of_two() && size >= 32 && base & (size - 1) == 0);
    let attributes = match rights {
        Rights::Code => READ_ONLY | NORMAL,
        Rights::Data => FULL_ACCESS | NO_EXECUTE | NORMAL,
        Rights::Device => FULL_ACCESS | NO_EXECUTE | DEVICE,
        Rights::Guard => PRIVILEGED_ONLY | NO_EXECUTE | NORMAL,
    };
    [
        base | VALID | number,
        attributes | (size.trailing_zeros() - 1) << 1 | ENABLE,
    ]
}

/// Region `number`, unused.
#[must_use]
pub const fn unused(number: u32) -> [u32; 2] {
    [VALID | number, 0]
}
