//! Where processes begin in a page, on boards whose caches are direct-mapped and as large as one.
//!
//! What takes the same offset in different pages evicts each other. A message runs code and touches
//! data of two processes and the kernel; so each process begins its code and ends its stacks at
//! another offset. The choice depends on nothing but the process's place in the manifest, and on how much
//! code for messages (`.text.hot`) the programs before it have: those of all lie side by side.

use super::space;
use crate::board::Board;

/// Bytes of a page, and of a cache.
const PAGE: u32 = 4096;
/// Entries of a page table that share a line of the cache. Processes begin so many pages apart, as
/// the entries are read after each switch.
const ENTRIES: u32 = 8;
/// Bytes that such entries of a leaf table show, and those of a root table.
const LEAVES: u32 = ENTRIES * PAGE;
const ROOTS: u32 = ENTRIES * space::ALL;
/// Processes whose page-table entries and stacks are apart; then it begins anew.
const COLOURS: u32 = 8;
/// How far the ends of stacks and, at least, the beginnings of code are apart. Code that is soon followed by what
/// lies where the kernel's does is the worse choice, so that this is little.
const STACK: u32 = 128;
const CODE: u32 = 128;

/// The colour of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colour {
    /// Offset of its code in a page.
    pub code: u32,
    /// What is added to all addresses at which it sees anything, a multiple of [`space::ALL`].
    pub place: u32,
    /// What is added to those of its code, a multiple of a page.
    pub seen: u32,
    /// Its number, if its stacks are coloured.
    stacks: Option<u32>,
}

/// The most that is added to addresses within what a process sees.
pub const FARTHEST: u32 = (COLOURS - 1) * LEAVES;

/// The first address at which stacks may be seen: the entries of their pages have lines of their own
/// behind those of the first pages of all processes' code.
#[must_use]
pub fn behind_code(board: &Board) -> u32 {
    let lines = if board.cache.is_some() { COLOURS } else { 0 };
    space::NEAR.base + lines * LEAVES
}

impl Colour {
    /// Where the process sees its RAM: at the first multiple of `alignment` from `least` on where the end
    /// of its main thread's stack, `stack` bytes further, has a page-table entry in a line of its own.
    #[must_use]
    pub fn ram_base(self, least: u32, alignment: u32, stack: u32) -> u32 {
        let bases = (0..COLOURS).map(|line| (least + line * LEAVES).next_multiple_of(alignment));
        let wanted = |base: &u32| match self.stacks {
            Some(turn) => (base + stack - 1) / LEAVES % COLOURS == turn,
            None => true,
        };
        let mut found = bases.filter(wanted);
        found
            .next()
            .unwrap_or_else(|| least.next_multiple_of(alignment))
    }
}

/// The colours of processes that have so many bytes of code for messages, in manifest order. `apart` says
/// whether they may see what they see at places apart.
pub fn all(board: &Board, hot: impl Iterator<Item = u32>, apart: bool) -> Vec<Colour> {
    let Some(cache) = &board.cache else {
        return hot.map(|_| Colour::default()).collect();
    };
    // Where the kernel's own code does not lie: from its end on, to its beginning in the next page.
    let room = PAGE - cache.kernel_ends + cache.kernel_begins;
    let mut begin = 0;
    (0..)
        .zip(hot)
        .map(|(index, hot)| {
            let hot = hot.next_multiple_of(cache.line);
            // It is not to reach into the kernel's, if it can be helped.
            if begin >= room || begin + hot > room {
                begin = 0;
            }
            let code = (cache.kernel_ends + begin) % PAGE / cache.line * cache.line;
            begin += hot.max(CODE);
            let turn = index % COLOURS;
            Colour {
                code,
                place: if apart { turn * ROOTS } else { 0 },
                seen: turn * LEAVES,
                stacks: Some(turn),
            }
        })
        .collect()
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
