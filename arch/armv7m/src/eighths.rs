//! Ranges that one region of the memory protection unit holds exactly: a power of two, aligned to its size, of
//! which any of the eight equal parts can be left out (ARMv7-M Architecture Reference Manual, B3.5.9).

/// The least bytes of a region.
const SMALLEST: u32 = 32;
/// The least bytes of one of which parts can be left out.
const DIVISIBLE: u32 = 256;

/// A region, and the eighths of it that do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eighths {
    /// First address of the region.
    pub base: u32,
    /// Bytes of the region: a power of two.
    pub size: u32,
    /// A bit for each eighth that is left out, the lowest for the first.
    pub without: u32,
}

/// The smallest region that holds the `size` bytes at `base`, and no other.
///
/// # Panics
/// If there is none: when a configuration is compiled, that ends it.
#[must_use]
pub const fn holding(base: u32, size: u32) -> Eighths {
    if size >= SMALLEST && size.is_power_of_two() && base & (size - 1) == 0 {
        return Eighths {
            base,
            size,
            without: 0,
        };
    }
    let mut region = DIVISIBLE;
    while base / region != (base + (size - 1)) / region {
        region *= 2;
    }
    let start = base & (region - 1);
    let eighth = region / 8;
    assert!(start.is_multiple_of(eighth) && size.is_multiple_of(eighth));
    let counting = (1 << (size / eighth)) - 1;
    Eighths {
        base: base - start,
        size: region,
        without: 0xFF & !(counting << (start / eighth)),
    }
}
