//! What a process sees where addresses are translated: the same 4 MiB for all of them.

use super::{Mapped, Region};
use crate::board::Board;
use crate::manifest::Process;

/// Bytes of a page.
pub const PAGE: u32 = 4096;

/// Devices, in the order of the manifest.
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

/// Code, then a page of nothing, then stacks and data: where these begin is the same for all
/// processes of an image.
pub const PRIVATE: Region = Region {
    base: 0xC020_8000,
    size: (2 << 20) - 0x8000,
};

/// Where stacks and data are seen, if the largest code has `flash` bytes.
#[must_use]
pub fn ram_base(flash: u32) -> u32 {
    PRIVATE.base + flash + PAGE
}

/// The devices of a process, in the order of the manifest.
#[must_use]
pub fn devices(process: &Process, board: &Board) -> Vec<Mapped> {
    let names = process.peripherals.iter();
    let regions = names
        .filter_map(|name| board.peripherals.get(&name.value))
        .map(|device| device.region);
    if !board.protection.translates() {
        return regions.map(Mapped::plain).collect();
    }
    let mut next = DEVICES.base;
    let place = |region: Region| {
        let base = next;
        next += region.size.next_multiple_of(PAGE);
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
