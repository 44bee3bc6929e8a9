//! The memory protection unit: region words, computed at build time.
//!
//! A thread's image is [`REGIONS`] pairs of RBAR and RASR that a switch writes through the
//! aliases. Region 0 is always code: while the words of two images are mixed, the kernel can still
//! fetch its own. The kernel itself runs on the default map, but for what a region says of the
//! privileged too: no region but code keeps it from writing.
//!
//! Of the regions that hold an address, the one with the highest number counts. In a [`Changing`]
//! image, data (region 1) is followed by the gaps, and the windows are the last regions, the first
//! one at the end.

use core::cell::Cell;

use riposte_kernel::{Thread, Writable};

use crate::eighths::{self, Eighths};

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
    /// Nothing: below a stack, or memory that is away.
    Guard,
    /// Read: memory that is lent, or that only others write.
    ReadOnly,
}

const VALID: u32 = 1 << 4;
const ENABLE: u32 = 1;
/// Attributes of a region that is off.
const DISABLED: u32 = 0;
const NO_EXECUTE: u32 = 1 << 28;
const FULL_ACCESS: u32 = 0b011 << 24;
const PRIVILEGED_ONLY: u32 = 0b001 << 24;
const READ_ONLY: u32 = 0b110 << 24;
/// Read only, but not for the kernel.
const UNPRIVILEGED_READ_ONLY: u32 = 0b010 << 24;
/// Normal memory, write-through, not shared.
const NORMAL: u32 = 0b010 << 16;
/// Device memory, shared.
const DEVICE: u32 = 0b101 << 16;

/// A thread's protection image that never changes.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Image(pub [[u32; 2]; REGIONS]);

/// A thread's protection image in a system with windows or gaps. As wide as an [`Image`]: the trap
/// code knows no difference.
#[repr(C, align(8))]
pub struct Changing([[Cell<u32>; 2]; REGIONS]);

/// Region of the first gap.
const FIRST_GAP: usize = 2;

impl Changing {
    /// The image with these words at the start.
    #[must_use]
    pub const fn new(words: [[u32; 2]; REGIONS]) -> Self {
        let mut image = [const { [const { Cell::new(0) }; 2] }; REGIONS];
        let mut number = 0;
        while number < REGIONS {
            let [base, attributes] = words[number];
            image[number] = [Cell::new(base), Cell::new(attributes)];
            number += 1;
        }
        Self(image)
    }

    /// That of `thread`, in a system with windows or gaps.
    #[inline(always)]
    pub(crate) fn of(thread: &Thread) -> &Changing {
        // SAFETY: the generated configuration of a system with windows or gaps makes every thread's
        // `protection` point to a static `Changing` of its own, and the kernel asks for one only
        // there. Only the kernel touches it, which is never preempted.
        unsafe { &*thread.protection.cast() }
    }

    /// Shows `range` in window `number`.
    #[inline(always)]
    pub(crate) fn open(&self, number: usize, range: Writable, rights: Rights) {
        self.set(REGIONS - 1 - number, range, rights);
    }

    /// Window `number` shows nothing.
    #[inline(always)]
    pub(crate) fn close(&self, number: usize) {
        self.disable(REGIONS - 1 - number);
    }

    /// Makes `range` gap `number`.
    pub(crate) fn hide(&self, number: usize, range: Writable, rights: Rights) {
        self.set(FIRST_GAP + number, range, rights);
    }

    /// Gap `number` hides nothing.
    pub(crate) fn show(&self, number: usize) {
        self.disable(FIRST_GAP + number);
    }

    #[inline(always)]
    fn set(&self, number: usize, range: Writable, rights: Rights) {
        let [base, attributes] = words(number as u32, range.address(), range.length(), rights);
        let region = &self.0[number];
        region[0].set(base);
        region[1].set(attributes);
    }

    /// Where it was does not count.
    #[inline(always)]
    fn disable(&self, number: usize) {
        self.0[number][1].set(DISABLED);
    }
}

/// Whether a region can hold exactly these bytes, and a gap too.
#[inline(always)]
pub(crate) fn can_hold(range: Writable) -> bool {
    let size = range.length();
    size >= GRANULE && (size | range.address()) & (size - 1) == 0
}

/// Region `number` over exactly `size` bytes at `base`, which [`eighths::holding`] can hold.
#[must_use]
pub const fn region(number: u32, base: u32, size: u32, rights: Rights) -> [u32; 2] {
    let Eighths {
        base,
        size,
        without,
    } = eighths::holding(base, size);
    let [base, attributes] = words(number, base, size, rights);
    [base, attributes | without << 8]
}

/// As [`region`], of a range that [`can_hold`] has found to be one.
#[inline(always)]
const fn words(number: u32, base: u32, size: u32, rights: Rights) -> [u32; 2] {
    let attributes = match rights {
        Rights::Code => READ_ONLY | NORMAL,
        Rights::Data => FULL_ACCESS | NO_EXECUTE | NORMAL,
        Rights::Device => FULL_ACCESS | NO_EXECUTE | DEVICE,
        Rights::Guard => PRIVILEGED_ONLY | NO_EXECUTE | NORMAL,
        Rights::ReadOnly => UNPRIVILEGED_READ_ONLY | NO_EXECUTE | NORMAL,
    };
    [
        base | VALID | number,
        attributes | (size.trailing_zeros() - 1) << 1 | ENABLE,
    ]
}

/// Region `number`, unused.
#[must_use]
pub const fn unused(number: u32) -> [u32; 2] {
    [VALID | number, DISABLED]
}
