//! Where processes begin in a page, on boards whose caches are direct-mapped and as large as one.
//!
//! What takes the same offset in different pages evicts each other. A message runs code and touches
//! data of two processes and the kernel; so each process begins its code and ends its stacks at
//! another offset. The choice depends on nothing but the process's place in the manifest, and on how much
//! code for messages (`.text.hot`) the programs have: that of a process lies beside the kernel's and that
//! of those with which it has connections.

use std::ops::Range;

use super::{Goal, space};
use crate::board::{Board, Cache};
use crate::manifest::Application;

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
const STACK: u32 = 256;
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

/// The colours of the processes of `application`, which have so many bytes of code for messages.
pub fn all(board: &Board, application: &Application, hot: &[u32]) -> Vec<Colour> {
    let Some(cache) = &board.cache else {
        return vec![Colour::default(); hot.len()];
    };
    // A region is where it is for all processes.
    let apart = application.regions.is_empty();
    let mut codes: Vec<Lines> = Vec::new();
    for (index, hot) in hot.iter().enumerate() {
        let others = codes.iter().enumerate();
        let others = others.map(|(other, code)| (talk(application, index, other), *code));
        let kernel = Lines::of(cache, cache.kernel_begins..cache.kernel_ends);
        let taken: Vec<_> = others.chain([(true, kernel)]).collect();
        codes.push(Lines::beside(cache, *hot, &taken));
    }
    (0..)
        .zip(codes)
        .map(|(index, code)| {
            let turn = index % COLOURS;
            Colour {
                code: code.begin * cache.line,
                place: if apart { turn * ROOTS } else { 0 },
                seen: turn * LEAVES,
                stacks: Some(turn),
            }
        })
        .collect()
}

/// Whether one of these processes has a connection to a channel of the other one's.
fn talk(application: &Application, one: usize, other: usize) -> bool {
    let sends = |from: usize, to: usize| {
        let connections = &application.processes[from].connections;
        connections.iter().any(|connection| match connection.goal {
            Goal::Channel { channel, .. } => application.channels[channel].owner == to,
            Goal::Proxy(_) => false,
        })
    };
    sends(one, other) || sends(other, one)
}

/// Lines of the cache that code takes, which begins anew behind its last one.
#[derive(Clone, Copy)]
struct Lines {
    begin: u32,
    count: u32,
}

impl Lines {
    fn of(cache: &Cache, bytes: Range<u32>) -> Lines {
        let begin = bytes.start / cache.line;
        Lines {
            begin,
            count: bytes.end.div_ceil(cache.line) - begin,
        }
    }

    /// Where so many bytes of code share the least with what is taken: with what runs for the same
    /// messages, and then with others. The first such place behind the kernel's code.
    fn beside(cache: &Cache, bytes: u32, taken: &[(bool, Lines)]) -> Lines {
        let all = PAGE / cache.line;
        let count = bytes.max(CODE).div_ceil(cache.line).min(all);
        let first = cache.kernel_ends / cache.line;
        let places = (first..first + all).map(|begin| Lines {
            begin: begin % all,
            count,
        });
        let shared = |place: &Lines| {
            let of = |same: bool| -> u32 {
                let those = taken.iter().filter(|(messages, _)| *messages == same);
                those.map(|(_, lines)| place.shares(*lines, all)).sum()
            };
            (of(true), of(false))
        };
        let best = places.min_by_key(shared);
        best.unwrap_or(Lines { begin: 0, count })
    }

    /// How many lines both take, of `all` that there are.
    fn shares(self, other: Lines, all: u32) -> u32 {
        let ours = (self.begin..self.begin + self.count).map(|line| line % all);
        let theirs = |line: &u32| (line + all - other.begin) % all < other.count;
        ours.filter(theirs).count() as u32
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
