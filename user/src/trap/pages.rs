//! Who has which part of this process's pages.

use riposte_abi::call::number;
use riposte_abi::process_info::kind;
use riposte_abi::register;

use super::{Entry, Range, Span};
use crate::failure;
use crate::sync::Word;

/// Least bytes of a block: a page, where the hardware has any.
pub(crate) const PAGE: u32 = 4096;
/// Most units into which the pages are divided: one bit each.
const UNITS: u32 = u32::BITS;

/// The pages in use: one bit for each unit.
///
/// A block is a power of two of units, as many of them as it has from the beginning of the pages or a
/// multiple of that, so that every board's protection can open it to another process.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// Units that are in a block.
    used: Word,
    /// Units that this process can touch. At its start it doesn't know: what an earlier life of it
    /// gave away can still be away.
    home: Word,
    /// Units that were given away: the kernel clears them when they are reclaimed.
    away: Word,
    /// First units of the blocks that were given away.
    first: Word,
}

/// Where the pages are, and how they are divided.
#[derive(Clone, Copy)]
struct Area {
    base: u32,
    /// Bytes of a unit, a power of two.
    unit: u32,
    units: u32,
}

/// Pages of this process that are in use.
#[derive(Debug)]
pub(crate) struct Block {
    span: Span,
    mask: u32,
}

impl Area {
    /// The pages that the manifest gives this process, if it does.
    fn find() -> Option<Area> {
        let value = |kind| {
            let mut entries = super::entries();
            let found = entries.find(|entry: &Entry| entry.kind == kind);
            found.map(|entry| entry.value)
        };
        let (base, size) = (value(kind::PAGES)?, value(kind::PAGES_SIZE)?);
        let unit = size.div_ceil(UNITS).next_power_of_two().max(PAGE);
        let units = size / unit;
        (units > 0).then_some(Area { base, unit, units })
    }

    fn whole(self) -> Range {
        self.range(0, self.units)
    }

    fn range(self, first: u32, units: u32) -> Range {
        Range {
            address: self.base + first * self.unit,
            length: units * self.unit,
        }
    }

    /// The blocks of so many units, as first unit and mask.
    fn blocks(self, units: u32) -> impl Iterator<Item = (u32, u32)> {
        let last = self.units.checked_sub(units);
        let mask = u32::MAX >> (UNITS - units);
        last.into_iter().flat_map(move |last| {
            (0..=last)
                .filter(move |first| first.is_multiple_of(units))
                .map(move |first| (first, mask << first))
        })
    }
}

impl Allocation {
    /// Nothing is in use, and nothing is known of what is at home.
    pub const fn new() -> Allocation {
        Allocation {
            used: Word::new(0),
            home: Word::new(0),
            away: Word::new(0),
            first: Word::new(0),
        }
    }

    /// A block of at least `bytes`, cleared.
    pub fn allocate(&self, bytes: usize) -> Option<Block> {
        let area = Area::find()?;
        let bytes = u32::try_from(bytes).ok()?;
        let units = bytes.div_ceil(area.unit).checked_next_power_of_two()?;
        if units > area.units {
            return None;
        }
        area.blocks(units).find_map(|(first, mask)| {
            self.claim(mask).then_some(())?;
            let cleared = mask & !self.away.load() == 0;
            let range = area.range(first, units);
            if !self.bring_home(area, mask, range) {
                self.unclaim(mask);
                return None;
            }
            // SAFETY: the units were claimed from all other blocks, and the kernel says that they are
            // at home. RAM is initialised enough for bytes once it was written below or by the
            // kernel; whatever it held before, no reference to it is left.
            let mut span = unsafe { Span::new(range) }?;
            if !cleared {
                span.clear();
            }
            Some(Block { span, mask })
        })
    }

    /// Reclaims what has come home of the blocks that were given away, so that others can be given.
    /// Whether there was any.
    pub fn reclaim(&self) -> bool {
        let Some(area) = Area::find() else {
            return false;
        };
        let mut any = false;
        for first in 0..area.units {
            if let Some((mask, range)) = self.away_at(area, first)
                && self.claim(mask)
            {
                any |= self.bring_home(area, mask, range);
                self.unclaim(mask);
            }
        }
        any
    }

    /// Frees a block.
    fn free(&self, block: &Block) {
        self.unclaim(block.mask);
    }

    /// Takes note that a block was given away.
    fn given(&self, block: &Block) {
        let mask = block.mask;
        self.first.or(mask & mask.wrapping_neg());
        self.away.or(mask);
        self.home.and(!mask);
        self.unclaim(mask);
    }

    /// Whether the units are at home now. They are the caller's, by a claim.
    fn bring_home(&self, area: Area, mask: u32, range: Range) -> bool {
        // Blocks that were given away are reclaimed whole.
        for unit in (0..area.units).filter(|unit| mask & (1 << unit) != 0) {
            if let Some(block) = self.away_block(area, unit) {
                let rest = block.0 & !mask;
                if !self.claim(rest) {
                    return false;
                }
                let is_home = self.away_block(area, unit) == Some(block) && self.end_absence(block);
                self.unclaim(rest);
                if !is_home {
                    return false;
                }
            }
        }
        if mask & !self.home.load() != 0 {
            if !reclaim(range) {
                return false;
            }
            self.home.or(mask);
        }
        true
    }

    /// Reclaims a block that was given away. All its units are the caller's, by claims: nobody gives one of them away.
    fn end_absence(&self, (mask, range): (u32, Range)) -> bool {
        let is_home = reclaim(range);
        if is_home {
            self.home.or(mask);
            self.away.and(!mask);
            self.first.and(!mask);
        }
        is_home
    }

    /// The block that was given away and that begins at this unit, if one does.
    fn away_at(&self, area: Area, first: u32) -> Option<(u32, Range)> {
        let begins = self.first.load() & (1 << first) != 0;
        begins.then(|| self.away_block(area, first)).flatten()
    }

    /// The block that was given away and that this unit is part of, if it is.
    fn away_block(&self, area: Area, unit: u32) -> Option<(u32, Range)> {
        let away = self.away.load();
        if away & (1 << unit) == 0 {
            return None;
        }
        let starts = self.first.load();
        let before = starts & (u32::MAX >> (UNITS - 1 - unit));
        let first = before.checked_ilog2()?;
        // It ends where another begins, or where one begins that is not away.
        let rest = (starts & !(1 << first) | !away) >> first;
        let units = rest.trailing_zeros().min(area.units - first);
        // None of them, where a block was given away there between the two looks.
        let mask = u32::MAX.checked_shr(UNITS - units)? << first;
        Some((mask, area.range(first, units)))
    }

    fn claim(&self, mask: u32) -> bool {
        let free = |used: u32| (used & mask == 0).then_some(used | mask);
        self.used.update(free).is_ok()
    }

    fn unclaim(&self, mask: u32) {
        self.used.and(!mask);
    }
}

impl Block {
    /// The memory.
    #[inline(always)]
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// The memory, to be changed.
    #[inline(always)]
    pub fn span_mut(&mut self) -> &mut Span {
        &mut self.span
    }

    /// Whether this process still has the memory after a move that failed: a receiver could have
    /// taken it before it died. What has come home is cleared.
    pub fn is_home(&self) -> bool {
        reclaim(self.span.range())
    }

    /// The memory was moved to another process.
    pub fn given(self) {
        super::allocation().given(&self);
        core::mem::forget(self);
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        super::allocation().free(self);
    }
}

/// All pages that the manifest gives this process, if it does.
pub(crate) fn whole() -> Option<Range> {
    Area::find().map(Area::whole)
}

/// Asks the kernel for what has come home of `range`. Whether all of it is here.
fn reclaim(range: Range) -> bool {
    let mut registers = failure::registers(number::RECLAIM);
    registers[register::WORD0] = range.address;
    registers[register::WORD1] = range.length;
    failure::call(registers, [0; 5]).is_ok()
}
