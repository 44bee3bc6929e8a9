//! What a process sees where addresses are translated: 4 MiB, the same for all of them but for their
//! colour.

use super::colour::Colour;
use super::{Mapped, Region};
use crate::board::Board;
use crate::manifest::Process;

/// Bytes of a page.
pub const PAGE: u32 = 4096;

/// What a process sees lies within so many bytes, which begin at a multiple of that. Addresses below
/// are those of the first such place, [`Colour::place`] 0.
pub const ALL: u32 = 4 << 20;

/// Devices, in the order of the manifest, if there are more than [`NEAR`] has room for.
pub const DEVICES: Region = Region {
    base: 0xC000_0000,
    size: 512 << 10,
};

/// Windows: where memory appears that others lend or move.
pub const LENT: Region = Region {
    base: 0xC008_0000,
    size: 1 << 20,
};

/// Regions, which all their processes see at the same place.
pub const SHARED: Region = Region {
    base: 0xC018_0000,
    size: 512 << 10,
};

/// A few devices, before the code of the process: so that what the processor reads of the page table to
/// get at either is one line of its cache.
pub const NEAR: Region = Region {
    base: 0xC020_8000,
    size: 3 * PAGE,
};

/// Behind them a page of nothing. Then code, a page of nothing, and stacks and data: where these begin
/// is the same for all processes of an image.
pub const PRIVATE: Region = Region {
    base: 0xC020_C000,
    size: (2 << 20) - 0xC000,
};

/// Where stacks and data are seen, if the largest code has `flash` bytes.
#[must_use]
pub fn ram_base(flash: u32) -> u32 {
    PRIVATE.base + flash + PAGE
}

/// Where the windows are of a process whose code is seen at `code`.
#[must_use]
pub fn windows(code: u32) -> u32 {
    code / ALL * ALL + LENT.base % ALL
}

/// The devices of a process, in the order of the manifest.
#[must_use]
pub fn devices(process: &Process, board: &Board, colour: Colour) -> Vec<Mapped> {
    let names = process.peripherals.iter();
    let regions = names
        .filter_map(|name| board.peripherals.get(&name.value))
        .map(|device| device.region);
    if !board.protection.translates() {
        return regions.map(Mapped::plain).collect();
    }
    let pages = |region: Region| region.size.next_multiple_of(PAGE);
    let all = regions.clone().map(|region| u64::from(pages(region)));
    let mut next = match all.sum::<u64>() <= u64::from(NEAR.size) {
        true => NEAR.base + colour.place + colour.seen,
        false => DEVICES.base + colour.place,
    };
    let place = |region: Region| {
        let base = next;
        // Of more than there is room for, whoever asks is told so by their sizes.
        next = next.wrapping_add(pages(region));
        Mapped {
            seen: Region { base, ..region },
            machine: region.base,
        }
    };
    regions.map(place).collect()
}

/// Where processes see the regions that lie at `placed`, in their order. Each is aligned to its size, as
/// everywhere else.
#[must_use]
pub fn regions(board: &Board, placed: &[Region]) -> Vec<Mapped> {
    if !board.protection.translates() {
        return placed.iter().copied().map(Mapped::plain).collect();
    }
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(placed[*index].size));
    let mut seen = vec![Mapped::default(); placed.len()];
    let mut base = SHARED.base;
    for index in order {
        let region = placed[index];
        seen[index] = Mapped {
            seen: Region { base, ..region },
            machine: region.base,
        };
        base += region.size;
    }
    seen
}
