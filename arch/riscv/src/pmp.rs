//! Physical memory protection: entries, computed at build time.
//!
//! In a system without windows, gaps and memory that some processes may only read, every thread uses the same entries for the same purpose, so
//! that a switch writes addresses and never configurations. If there are enough entries for them,
//! the first ones are the guards below the stacks of all threads ([`FIXED_GUARDS`]): nobody ever
//! touches those, so that no switch has to write them. Else the first entry is the guard of the
//! running thread ([`GUARDS`]). Then come its code, its data, its devices, and the regions that it shares. What a thread does not
//! use is pointed where it changes nothing: a guard to the kernel's memory, a device to the thread's
//! own data.
//!
//! In a system with one of these a switch writes configurations too ([`RIGHTS`] words of them),
//! and what is not used is off. Of the entries that hold an address, the first one counts: the gaps
//! follow the running thread's guard, before code and data. The windows are the last entries, the first one at the
//! end.
//!
//! Entries beyond the [`FIXED_GUARDS`] and [`REGIONS`] more are off. No entry binds the kernel.

use core::cell::Cell;

use riposte_kernel::{Thread, Writable};

use crate::{
    Context,
    build::{CHANGES, FIXED_GUARDS, GRANULE, GUARD, GUARDS, REGIONS},
    write_csr,
};

/// Words of configurations that a switch writes.
pub const RIGHTS: usize = if CHANGES { REGIONS.div_ceil(4) } else { 0 };

/// Number of the first entry that a switch writes.
pub const FIRST: usize = FIXED_GUARDS.len();

const _: () = {
    assert!(FIRST + REGIONS <= 16, "there are 16 entries");
    assert!(!GUARDS || FIRST == 0, "a guard is fixed or written");
    assert!(!CHANGES || GUARDS, "guards are fixed where nothing changes");
};

/// A thread's entries: their addresses, and their configurations if those are written too.
#[repr(C, align(4))]
pub struct Image {
    addresses: [Cell<u32>; REGIONS],
    rights: [[Cell<u8>; 4]; RIGHTS],
}

/// An entry: its address word and its configuration.
#[derive(Clone, Copy)]
pub struct Entry {
    address: u32,
    rights: u8,
}

/// Bytes of the smallest region.
const SMALLEST: u32 = 8;
/// Naturally aligned, a power of two.
const NAPOT: u8 = 0b11 << 3;
const READ: u8 = 1 << 0;
const WRITE: u8 = 1 << 1;
const EXECUTE: u8 = 1 << 2;

/// Entry of the first gap.
const FIRST_GAP: usize = 1;

/// An entry that holds nothing.
pub const OFF: Entry = Entry {
    address: 0,
    rights: 0,
};

/// Nothing may be done there: below a stack, or memory that is away.
#[must_use]
pub const fn guard(base: u32, size: u32) -> Entry {
    entry(base, size, NAPOT)
}

/// Read and execute.
#[must_use]
pub const fn code(base: u32, size: u32) -> Entry {
    entry(base, size, NAPOT | READ | EXECUTE)
}

/// Read and write; devices too.
#[must_use]
pub const fn data(base: u32, size: u32) -> Entry {
    entry(base, size, NAPOT | READ | WRITE)
}

/// Read: what only others write.
#[must_use]
pub const fn read_only(base: u32, size: u32) -> Entry {
    entry(base, size, NAPOT | READ)
}

/// The entry of `size` bytes (a power of two, at least 8) at `base` (a multiple of it).
const fn entry(base: u32, size: u32, rights: u8) -> Entry {
    assert!(size.is_power_of_two() && size >= SMALLEST && base & (size - 1) == 0);
    napot(base, size, rights)
}

/// As [`entry`], of a range that [`can_hold`] has found to be one.
#[inline(always)]
const fn napot(base: u32, size: u32, rights: u8) -> Entry {
    Entry {
        address: base >> 2 | (size - 1) >> 3,
        rights,
    }
}

/// Writes the PMP addresses at `{image}(a1)`, and the configurations behind them if they change.
/// Leaves some of them in t0 to t3. (`pmpaddr0` has the number 0x3B0.) If configurations don't change and the board's emulator asks for
/// it ([`REFRESH`](crate::build::REFRESH)), the last instruction sets a bit of one that is set already.
macro_rules! protect {
    () => {
        concat!(
            "lw    t0, {image}(a1)\n",
            "lw    t1, {image} + 4(a1)\n",
            ".if {regions} > 2\n",
            "lw    t2, {image} + 8(a1)\n",
            ".else\n",
            "li    t2, 0\n",
            ".endif\n",
            ".if {regions} > 3\n",
            "lw    t3, {image} + 12(a1)\n",
            ".else\n",
            "li    t3, 0\n",
            ".endif\n",
            "csrw  0x3B0 + {first}, t0\n",
            "csrw  0x3B1 + {first}, t1\n",
            ".if {regions} > 2\n",
            "csrw  0x3B2 + {first}, t2\n",
            ".endif\n",
            ".if {regions} > 3\n",
            "csrw  0x3B3 + {first}, t3\n",
            ".endif\n",
            ".if {regions} > 4\n",
            "lw    t0, {image} + 16(a1)\n",
            "csrw  0x3B4 + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 5\n",
            "lw    t0, {image} + 20(a1)\n",
            "csrw  0x3B5 + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 6\n",
            "lw    t0, {image} + 24(a1)\n",
            "csrw  0x3B6 + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 7\n",
            "lw    t0, {image} + 28(a1)\n",
            "csrw  0x3B7 + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 8\n",
            "lw    t0, {image} + 32(a1)\n",
            "csrw  0x3B8 + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 9\n",
            "lw    t0, {image} + 36(a1)\n",
            "csrw  0x3B9 + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 10\n",
            "lw    t0, {image} + 40(a1)\n",
            "csrw  0x3BA + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 11\n",
            "lw    t0, {image} + 44(a1)\n",
            "csrw  0x3BB + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 12\n",
            "lw    t0, {image} + 48(a1)\n",
            "csrw  0x3BC + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 13\n",
            "lw    t0, {image} + 52(a1)\n",
            "csrw  0x3BD + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 14\n",
            "lw    t0, {image} + 56(a1)\n",
            "csrw  0x3BE + {first}, t0\n",
            ".endif\n",
            ".if {regions} > 15\n",
            "lw    t0, {image} + 60(a1)\n",
            "csrw  0x3BF + {first}, t0\n",
            ".endif\n",
            ".if {rights} > 3\n",
            "lw    t0, {image} + 4 * {regions} + 12(a1)\n",
            "csrw  pmpcfg3, t0\n",
            ".endif\n",
            ".if {rights} > 2\n",
            "lw    t0, {image} + 4 * {regions} + 8(a1)\n",
            "csrw  pmpcfg2, t0\n",
            ".endif\n",
            ".if {rights} > 1\n",
            "lw    t0, {image} + 4 * {regions} + 4(a1)\n",
            "csrw  pmpcfg1, t0\n",
            ".endif\n",
            ".if {rights} > 0\n",
            "lw    t0, {image} + 4 * {regions}(a1)\n",
            "csrw  pmpcfg0, t0\n",
            ".elseif {refresh}\n",
            "csrsi pmpcfg0, 8\n",
            ".endif\n",
        )
    };
}
pub(crate) use protect;

impl Image {
    /// The image with these entries at the start.
    ///
    /// # Panics
    /// If configurations are not written, and an entry is not for what its place is.
    #[must_use]
    pub const fn new(entries: [Entry; REGIONS]) -> Self {
        let image = Self {
            addresses: [const { Cell::new(0) }; REGIONS],
            rights: [const { [const { Cell::new(0) }; 4] }; RIGHTS],
        };
        let mut number = 0;
        while number < REGIONS {
            let entry = entries[number];
            assert!(CHANGES || entry.rights == usual(number));
            image.set(number, entry);
            number += 1;
        }
        image
    }

    /// Shows `range` in window `number`.
    #[inline(always)]
    fn open(&self, number: usize, range: Writable, writable: bool) {
        let rights = if writable { READ | WRITE } else { READ };
        self.set(
            REGIONS - 1 - number,
            napot(range.address(), range.length(), NAPOT | rights),
        );
    }

    /// Window `number` shows nothing. Where it was does not count.
    #[inline(always)]
    fn close(&self, number: usize) {
        self.set_rights(REGIONS - 1 - number, OFF.rights);
    }

    /// Makes `range` gap `number`.
    fn hide(&self, number: usize, range: Writable, readable: bool) {
        let rights = if readable { READ } else { 0 };
        self.set(
            FIRST_GAP + number,
            napot(range.address(), range.length(), NAPOT | rights),
        );
    }

    /// Gap `number` hides nothing.
    fn show(&self, number: usize) {
        self.set(FIRST_GAP + number, OFF);
    }

    #[inline(always)]
    const fn set(&self, number: usize, entry: Entry) {
        self.addresses[number].replace(entry.address);
        self.set_rights(number, entry.rights);
    }

    /// The processor's words of configurations hold those of entries as bytes, the first one's lowest.
    #[inline(always)]
    const fn set_rights(&self, number: usize, rights: u8) {
        if CHANGES {
            self.rights[number / 4][number % 4].replace(rights);
        }
    }
}

/// Base and size of the guard below the stack of `thread`; where it has none, of no memory of its
/// own.
pub(crate) fn guard_of(thread: &Thread) -> (u32, u32) {
    if GUARDS {
        let word = Context::of(thread).image.addresses[0].get();
        let size = SMALLEST << word.trailing_ones();
        return (word << 2 & !(size - 1), size);
    }
    let fixed = FIXED_GUARDS.contains(&thread.stack_base);
    (thread.stack_base, if fixed { GUARD } else { 0 })
}

/// Whether an entry can hold exactly these bytes, and a gap too.
#[inline(always)]
pub(crate) fn can_hold(range: Writable) -> bool {
    let size = range.length();
    size >= GRANULE && (size | range.address()) & (size - 1) == 0
}

/// Shows `range` in window `number` of these threads. Returns its address there.
#[inline(always)]
pub(crate) fn open(threads: &[Thread], number: usize, range: Writable, writable: bool) -> u32 {
    for thread in threads {
        Context::of(thread).image.open(number, range, writable);
    }
    range.address()
}

/// Shows these threads nothing in window `number`.
#[inline(always)]
pub(crate) fn close(threads: &[Thread], number: usize, _: u32) {
    for thread in threads {
        Context::of(thread).image.close(number);
    }
}

/// Makes `range` gap `number` of these threads.
pub(crate) fn hide(threads: &[Thread], number: usize, range: Writable, _: u32, readable: bool) {
    for thread in threads {
        Context::of(thread).image.hide(number, range, readable);
    }
}

/// Gap `number` of these threads hides nothing.
pub(crate) fn show(threads: &[Thread], number: usize) {
    for thread in threads {
        Context::of(thread).image.show(number);
    }
}

/// The configuration of an image's entry where configurations never change.
const fn usual(number: usize) -> u8 {
    NAPOT
        | match (GUARDS, number) {
            (true, 0) => 0,
            (true, 1) | (false, 0) => READ | EXECUTE,
            _ => READ | WRITE,
        }
}

/// What every entry is for, until the first thread runs, or for ever.
const fn configuration() -> [u32; 4] {
    let mut words = [0; 4];
    let mut entry = 0;
    while !CHANGES && entry < FIRST + REGIONS {
        let rights = match entry.checked_sub(FIRST) {
            Some(number) => usual(number),
            None => NAPOT,
        };
        words[entry / 4] |= (rights as u32) << (entry % 4 * 8);
        entry += 1;
    }
    words
}

/// Writes the guard that entry `$number` holds for ever, if it does.
macro_rules! fix {
    ($($number:literal $name:literal),*) => {
        $(if let Some(base) = FIXED_GUARDS.get($number) {
            // SAFETY: the entry binds user mode only, and nobody may touch a guard.
            unsafe { write_csr!($name, guard(*base, GUARD).address) };
        })*
    };
}

/// Configures the entries. What those apply to that are no fixed guards comes with each thread.
pub(crate) fn start() {
    fix!(
        0 "pmpaddr0", 1 "pmpaddr1", 2 "pmpaddr2", 3 "pmpaddr3", 4 "pmpaddr4", 5 "pmpaddr5",
        6 "pmpaddr6", 7 "pmpaddr7", 8 "pmpaddr8", 9 "pmpaddr9", 10 "pmpaddr10", 11 "pmpaddr11",
        12 "pmpaddr12", 13 "pmpaddr13"
    );
    const WORDS: [u32; 4] = configuration();
    // SAFETY: no entry is locked, so that none applies to machine mode.
    unsafe {
        write_csr!("pmpcfg0", WORDS[0]);
        write_csr!("pmpcfg1", WORDS[1]);
        write_csr!("pmpcfg2", WORDS[2]);
        write_csr!("pmpcfg3", WORDS[3]);
    }
}

/// What a thread may touch was computed when the image was built: nothing is left to do.
pub(crate) fn begin(_: &[Thread]) {}
