//! Where in a circle of places the next item is put and taken.

use super::Word;
use crate::Error;

/// The positions in a ring of so many places.
///
/// Each runs through the places twice before it begins anew, so that a full ring and an empty one
/// differ. An item is there, or gone, by one store to one of them: whoever dies before it has done
/// nothing. What the words hold is checked at each use, as a stranger may have written it.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Ring {
    put: Word,
    taken: Word,
}

/// A part of the places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// The first place.
    pub first: u32,
    /// How many there are, from the first one on, in a circle.
    pub count: u32,
}

impl Ring {
    /// An empty ring.
    pub const fn new() -> Ring {
        Ring {
            put: Word::new(0),
            taken: Word::new(0),
        }
    }

    /// Both positions in a ring of `length` places, and how many places are full.
    #[inline(always)]
    fn positions(&self, length: u32) -> Result<(u32, u32, u32), Error> {
        let (put, taken) = (self.put.load(), self.taken.load());
        let full = if put >= taken {
            put - taken
        } else {
            (put + 2 * length).wrapping_sub(taken)
        };
        if put >= 2 * length || taken >= 2 * length || full > length {
            return Err(disorder());
        }
        Ok((put, taken, full))
    }

    /// The free places.
    #[inline(always)]
    pub fn free(&self, length: u32) -> Result<Places, Error> {
        let (put, _, full) = self.positions(length)?;
        Ok(Places {
            first: place(put, length),
            count: length - full,
        })
    }

    /// The full places.
    #[inline(always)]
    pub fn full(&self, length: u32) -> Result<Places, Error> {
        let (_, taken, full) = self.positions(length)?;
        Ok(Places {
            first: place(taken, length),
            count: full,
        })
    }

    /// So many of the free places are full now.
    #[inline(always)]
    pub fn put(&self, length: u32, count: u32) {
        self.put.store(further(self.put.load(), count, length));
    }

    /// So many of the full places are free now.
    #[inline(always)]
    pub fn take(&self, length: u32, count: u32) {
        self.taken.store(further(self.taken.load(), count, length));
    }
}

/// What somebody must have written who should not.
#[cold]
fn disorder() -> Error {
    Error::BadArgument
}

#[inline(always)]
fn place(position: u32, length: u32) -> u32 {
    if position < length {
        position
    } else {
        position - length
    }
}

/// The position `count` places further.
#[inline(always)]
fn further(position: u32, count: u32, length: u32) -> u32 {
    let next = position.wrapping_add(count);
    if next < 2 * length {
        next
    } else {
        next.wrapping_sub(2 * length)
    }
}
