//! Where processes begin in a page, on boards whose caches are direct-mapped and as large as one.
//!
//! What takes the same offset in different pages evicts each other. A message runs code and touches
//! data of two processes and the kernel; so each process begins its code and ends its stacks at
//! another offset. The choice depends on nothing but the process's place in the manifest.

use crate::board::Board;

/// Bytes of a page, and of a cache.
const PAGE: u32 = 4096;
/// Entries of a page table that share a line of the cache. Processes begin so many pages apart, as
/// the entries are read after each switch.
const ENTRIES: u32 = 8;
/// Processes whose page-table entries and stacks are apart; then it begins anew.
const COLOURS: u32 = 8;
/// How far the ends of stacks and the beginnings of code are apart. Code that is soon followed by what
/// lies where the kernel's does is the worse choice, so that this is little.
const STACK: u32 = 128;
const CODE: u32 = 128;

/// The colour of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colour {
    /// Offset of its code in a page.
    pub code: u32,
    /// What is added to the addresses at which it sees its memory, a multiple of a page.
    pub seen: u32,
    /// Its number, if its stacks are coloured.
    stacks: Option<u32>,
}

/// The most that is added to addresses.
pub const FARTHEST: u32 = (COLOURS - 1) * ENTRIES * PAGE;

/// The colour of the process with this index.
#[must_use]
pub fn of(board: &Board, index: usize) -> Colour {
    let Some(cache) = &board.cache else {
        return Colour::default();
    };
    let turn = index as u32 % COLOURS;
    // Where the kernel's own code does not lie.
    let room = PAGE - cache.kernel_code;
    Colour {
        code: cache.kernel_code + turn * CODE % room / cache.line * cache.line,
        seen: turn * ENTRIES * PAGE,
        stacks: Some(turn),
    }
}

/// Offset and size of each stack in a process's RAM. `sizes` hold the guards too, which all stacks
/// but the first have. With a colour, each begins at a page and ends where the colour says.
#[must_use]
pub fn stacks(colour: Colour, sizes: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut end = 0;
    let place = |(thread, size): (u32, u64)| {
        let Some(turn) = colour.stacks else {
            let base = end;
            end += size;
            return (base, size);
        };
        let page = u64::from(PAGE);
        let below_end = u64::from((turn + thread) % COLOURS * STACK);
        let base = u64::next_multiple_of(end, page);
        end = (base + size + below_end).next_multiple_of(page) - below_end;
        (base, end - base)
    };
    (0..).zip(sizes).map(place).collect()
}
