//! Sv32: page tables, which are translation and protection at once.
//!
//! The kernel runs in machine mode, untranslated. Every process has an address space of its own: one
//! root table and one leaf table, for 4 MiB somewhere. They are filled once, before the first process
//! runs, from the mappings that the image's configuration lists; a switch writes `satp` and
//! nothing else. Each space has its own number (ASID), so that a processor that remembers
//! translations by number keeps them; one that does not ([`FLUSHES`]) forgets them all whenever
//! `satp` is written.

use core::{cell::Cell, ptr};

use riposte_kernel::{Thread, Writable};

use crate::{Context, Global, build::FLUSHES};

/// Bytes of a page.
pub const PAGE: u32 = 4096;
/// Entries of a table.
const ENTRIES: usize = 1024;
/// Bytes that a leaf table maps.
const REACH: u32 = PAGE * ENTRIES as u32;
/// Bit of `satp`: addresses are translated.
const SV32: u32 = 1 << 31;
const ASID_SHIFT: u32 = 22;

/// Bits of an entry.
mod bit {
    pub const VALID: u32 = 1 << 0;
    pub const READ: u32 = 1 << 1;
    pub const WRITE: u32 = 1 << 2;
    pub const EXECUTE: u32 = 1 << 3;
    pub const USER: u32 = 1 << 4;
    pub const ACCESSED: u32 = 1 << 6;
    pub const DIRTY: u32 = 1 << 7;
}

/// What a process may do with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Read it.
    Read,
    /// Read and execute it.
    ReadExecute,
    /// Read and write it.
    ReadWrite,
}

impl Rights {
    /// Pages are marked as used from the beginning: nobody asks, and some processors cannot mark.
    const fn bits(self) -> u32 {
        let rights = match self {
            Rights::Read => bit::READ,
            Rights::ReadExecute => bit::READ | bit::EXECUTE,
            Rights::ReadWrite => bit::READ | bit::WRITE | bit::DIRTY,
        };
        rights | bit::VALID | bit::USER | bit::ACCESSED
    }
}

#[repr(C, align(4096))]
struct Table([Cell<u32>; ENTRIES]);

/// The page tables of an address space.
pub struct Tables {
    root: Table,
    leaf: Table,
}

impl Tables {
    /// Tables that map nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            root: Table([const { Cell::new(0) }; ENTRIES]),
            leaf: Table([const { Cell::new(0) }; ENTRIES]),
        }
    }
}

impl Default for Tables {
    fn default() -> Self {
        Self::new()
    }
}

/// Pages of a process.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// Where the process sees the first one.
    pub seen: u32,
    /// Where it lies.
    pub machine: u32,
    /// Bytes, a multiple of [`PAGE`].
    pub size: u32,
    /// What the process may do with them.
    pub rights: Rights,
}

/// An address space: what one process sees.
#[repr(C)]
pub struct Space {
    /// The entries of all its windows, in order.
    shown: Global<&'static [Cell<u32>]>,
    windows: Windows,
    tables: &'static Global<Tables>,
    number: u32,
    mappings: &'static [Mapping],
    gaps: &'static [Global<Place>],
}

/// Where memory appears that others lend to a process.
pub struct Windows {
    /// Where it sees the first one, even if there is none. The others follow.
    pub base: u32,
    /// Bytes of each, whole pages.
    pub size: u32,
    /// How many there are.
    pub count: u32,
}

/// Pages that a process does not see for now.
pub type Place = Cell<Mapping>;

impl Mapping {
    /// No pages.
    pub const NONE: Mapping = Mapping {
        seen: 0,
        machine: 0,
        size: 0,
        rights: Rights::Read,
    };
}

impl Default for Mapping {
    fn default() -> Self {
        Self::NONE
    }
}

impl Space {
    /// The space with this number, from 1 to 511, which no other one has. Once the kernel has begun
    /// it is what the mappings say. `gaps` are places for what is hidden.
    #[must_use]
    pub const fn new(
        tables: &'static Global<Tables>,
        number: u32,
        mappings: &'static [Mapping],
        windows: Windows,
        gaps: &'static [Global<Place>],
    ) -> Self {
        assert!(number >= 1 && number < 512 && windows.size.is_multiple_of(PAGE));
        let (_, rest) = tables.0.leaf.0.split_at(place(windows.base));
        let (shown, _) = rest.split_at((windows.count * (windows.size / PAGE)) as usize);
        Self {
            shown: Global(shown),
            windows,
            tables,
            number,
            mappings,
            gaps,
        }
    }

    /// The word that makes the processor translate by these tables.
    fn satp(&self) -> u32 {
        SV32 | self.number << ASID_SHIFT | page_number(&self.tables.root)
    }

    fn fill(&self) {
        // The windows are within what the leaf table maps, as everything is.
        let entry = (self.windows.base / REACH) as usize;
        self.tables.root.0[entry].set(page_number(&self.tables.leaf) << 10 | bit::VALID);
        for mapping in self.mappings {
            self.map(mapping);
        }
    }

    /// Lets the process see pages, whatever it saw there.
    fn map(&self, mapping: &Mapping) {
        fill(
            self.pages(mapping.seen, mapping.size),
            mapping.machine,
            mapping.rights,
        );
        self.forget();
    }

    /// The process no longer sees these pages.
    fn unmap(&self, seen: u32, size: u32) {
        empty(self.pages(seen, size));
        self.forget();
    }

    fn pages(&self, seen: u32, size: u32) -> &'static [Cell<u32>] {
        let first = place(seen);
        &self.tables.leaf.0[first..first + size.div_ceil(PAGE) as usize]
    }

    /// The entries of the first `size` bytes of window `number`.
    #[inline(always)]
    fn window(&self, number: usize, size: u32) -> &'static [Cell<u32>] {
        let first = number * (self.windows.size / PAGE) as usize;
        let pages = self.shown.0.get(first..).unwrap_or_default();
        pages.get(..(size / PAGE) as usize).unwrap_or_default()
    }

    /// A processor must not go on by what it remembers of the tables. Where writing `satp` makes it
    /// forget, every way back to a process that could see the change does so.
    #[inline(always)]
    fn forget(&self) {
        if !FLUSHES {
            // SAFETY: forgets translations, which never apply to the kernel.
            unsafe { core::arch::asm!("sfence.vma", options(nostack)) };
        }
    }
}

/// Index in a leaf table of the page that is seen at this address.
const fn place(seen: u32) -> usize {
    (seen / PAGE) as usize % ENTRIES
}

/// Makes the entries show what lies from `machine` on, the first byte of a page.
#[inline(always)]
fn fill(pages: &[Cell<u32>], machine: u32, rights: Rights) {
    let mut entry = ((machine / PAGE) << 10) | rights.bits();
    for_each(pages, |page| {
        write(page, entry);
        entry += 1 << 10;
    });
}

/// Makes the entries show nothing.
#[inline(always)]
fn empty(pages: &[Cell<u32>]) {
    for_each(pages, |page| write(page, 0));
}

/// Does `what` to each entry; to four in a turn, since no interrupt is taken before all are done.
#[inline(always)]
fn for_each(pages: &[Cell<u32>], mut what: impl FnMut(&Cell<u32>)) {
    let (fours, rest) = pages.as_chunks::<4>();
    for [first, second, third, fourth] in fours {
        what(first);
        what(second);
        what(third);
        what(fourth);
    }
    rest.iter().for_each(what);
}

/// Writes an entry, which the processor reads by itself: one store, in its turn. (As ordinary memory
/// the compiler would have it cleared by `memset`, a call that costs more than most loans.)
#[inline(always)]
fn write(page: &Cell<u32>, entry: u32) {
    // SAFETY: a cell is valid for writes, and nobody has a reference to what is in it.
    unsafe { page.as_ptr().write_volatile(entry) };
}

fn page_number(table: &Table) -> u32 {
    ptr::from_ref(table).addr() as u32 / PAGE
}

/// What a switch to a thread writes, and what belongs to it.
#[repr(C)]
pub struct Image {
    satp: Cell<u32>,
    space: Option<&'static Space>,
    /// The page below its stack that nobody sees; 0 without one.
    guard: u32,
}

const _: () = assert!(core::mem::offset_of!(Image, satp) == 0);

impl Image {
    /// A thread of the process that sees `space`, with a guard page at `guard` unless that is 0.
    #[must_use]
    pub const fn new(space: &'static Space, guard: u32) -> Self {
        Self {
            satp: Cell::new(0),
            space: Some(space),
            guard,
        }
    }

    /// A thread that runs untranslated: the idle thread alone, whose code is the kernel's own and
    /// touches no memory.
    #[must_use]
    pub const fn untranslated() -> Self {
        Self {
            satp: Cell::new(0),
            space: None,
            guard: 0,
        }
    }
}

/// Base and size of the guard below the stack of `thread`.
pub(crate) fn guard_of(thread: &Thread) -> (u32, u32) {
    let guard = Context::of(thread).image.guard;
    (guard, if guard == 0 { 0 } else { PAGE })
}

/// Words of configurations that a switch writes.
pub const RIGHTS: usize = 0;
/// Number of the first register that a switch writes.
pub const FIRST: usize = 0;

/// Whether pages can hold exactly these bytes.
#[inline(always)]
pub(crate) fn can_hold(range: Writable) -> bool {
    (range.address() | range.length()).is_multiple_of(PAGE) && range.length() > 0
}

/// What the process of these threads sees. Only the idle process has no space, and it has neither
/// windows nor gaps.
#[inline(always)]
fn space(threads: &[Thread]) -> Option<&'static Space> {
    Context::of(threads.first()?).image.space
}

/// Shows `range` in window `number` of the process of these threads. Returns its address there.
#[inline(always)]
pub(crate) fn open(threads: &[Thread], number: usize, range: Writable, writable: bool) -> u32 {
    let Some(space) = space(threads) else {
        return 0;
    };
    let rights = if writable {
        Rights::ReadWrite
    } else {
        Rights::Read
    };
    let pages = space.window(number, range.length());
    fill(pages, range.address(), rights);
    space.forget();
    space.windows.base + number as u32 * space.windows.size
}

/// Shows the process of these threads nothing in window `number`, which shows `length` bytes.
#[inline(always)]
pub(crate) fn close(threads: &[Thread], number: usize, length: u32) {
    if let Some(space) = space(threads) {
        empty(space.window(number, length));
        space.forget();
    }
}

/// Makes `range`, which the process of these threads sees at `address`, its gap `number`.
pub(crate) fn hide(
    threads: &[Thread],
    number: usize,
    range: Writable,
    address: u32,
    readable: bool,
) {
    let Some(space) = space(threads) else {
        return;
    };
    let mapping = Mapping {
        seen: address,
        machine: range.address(),
        size: range.length(),
        rights: Rights::Read,
    };
    space.gaps[number].set(mapping);
    if readable {
        space.map(&mapping);
    } else {
        space.unmap(address, range.length());
    }
}

/// Gap `number` of the process of these threads hides nothing.
pub(crate) fn show(threads: &[Thread], number: usize) {
    if let Some(space) = space(threads) {
        space.map(&Mapping {
            rights: Rights::ReadWrite,
            ..space.gaps[number].take()
        });
    }
}

/// Writes `satp` from `{image}(a1)`, and clears t0 to t3.
macro_rules! protect {
    () => {
        concat!(
            ".if {regions} != 1 || {first} || {rights} || {refresh}\n",
            ".error \"a switch of Sv32 writes one word\"\n",
            ".endif\n",
            "lw    t0, {image}(a1)\n",
            "li    t1, 0\n",
            "li    t2, 0\n",
            "li    t3, 0\n",
            "csrw  satp, t0\n",
            "li    t0, 0\n",
        )
    };
}
pub(crate) use protect;

/// Nothing is configured: translation comes with each thread.
pub(crate) fn start() {}

/// Fills the page tables of all processes.
pub(crate) fn begin(threads: &[Thread]) {
    for thread in threads {
        let image = &Context::of(thread).image;
        if let Some(space) = image.space {
            if thread.index == thread.process.first_thread {
                space.fill();
            }
            image.satp.set(space.satp());
        }
    }
}
