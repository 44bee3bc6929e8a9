//! Where in a circle of places the next item is put and taken.

use super::Word;
use crate::Error;

/// What is full in a ring of places: where it begins, and how much.
///
/// Both are in one word, so that an item is there, or gone, by one store: whoever dies before it has
/// done nothing. What the word holds is checked at each use, as a stranger may have written it.
#[derive(Debug)]
#[repr(transparent)]
pub(super) struct Ring(Word);

/// What the word held: bits 15..0 the first full place, bits 31..16 how many are full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full(u32);

/// Most places.
pub(super) const MOST: usize = (1 << COUNT) - 1;
const COUNT: u32 = 16;

impl Ring {
    /// An empty ring.
    pub const fn new() -> Ring {
        Ring(Word::new(0))
    }

    /// What is full.
    #[inline(always)]
    pub fn full(&self) -> Full {
        Full(self.0.load())
    }

    /// That is full from now on.
    #[inline(always)]
    pub fn set(&self, full: Full) {
        self.0.store(full.0);
    }
}

impl Full {
    /// The first full place of `length`; if none is full, any. One that there is not if the word is in
    /// disorder, unless the length is a power of two.
    #[inline(always)]
    pub fn first(self, length: u32) -> u32 {
        if length.is_power_of_two() {
            self.0 & (length - 1)
        } else {
            self.begin()
        }
    }

    /// As the word has it.
    #[inline(always)]
    fn begin(self) -> u32 {
        self.0 & MOST as u32
    }

    /// How many places are full.
    #[inline(always)]
    pub fn count(self) -> u32 {
        self.0 >> COUNT
    }

    /// The first free place of `length`; if none is free, any. One that there is not if the word is in
    /// disorder, unless the length is a power of two.
    #[inline(always)]
    pub fn end(self, length: u32) -> u32 {
        if length.is_power_of_two() {
            return self.0.wrapping_add(self.count()) & (length - 1);
        }
        let end = self.begin() + self.count();
        if end < length { end } else { end - length }
    }

    /// So many of the free places are full, too.
    #[inline(always)]
    pub fn put(self, count: u32) -> Full {
        Full(self.0.wrapping_add(count << COUNT))
    }

    /// So many of the full places of `length` are free; if there are as many.
    #[inline(always)]
    pub fn take(self, length: u32, count: u32) -> Option<Full> {
        let next = self.0.checked_sub(count << COUNT)?.wrapping_add(count);
        if length.is_power_of_two() {
            // It was below the length: behind the last place, this bit alone is too much.
            return Some(Full(next & !length));
        }
        let first = self.begin() + count;
        let round = if first < length { 0 } else { length };
        Some(Full(next.wrapping_sub(round)))
    }

    /// Why nothing can be put or taken: nothing is free, or full; or somebody has written the word who
    /// should not have.
    #[cold]
    pub fn refusal(self, length: u32) -> Error {
        if self.begin() < length && self.count() <= length {
            Error::WouldBlock
        } else {
            Error::BadArgument
        }
    }
}
