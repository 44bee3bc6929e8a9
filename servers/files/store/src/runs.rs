//! Where the bytes of a file lie.

use core::ops::Range;

use crate::disk::{Disk, NONE, Reserved};
use crate::layout::Field;
use crate::memory::Memory;

/// A block of a file, and how many are before it.
#[derive(Clone, Copy)]
pub struct Place {
    index: u32,
    block: u32,
}

/// Bytes of a file, in as few pieces as they lie.
pub struct Runs {
    place: Place,
    /// Where in that block the next byte is.
    offset: usize,
    /// How many bytes are left.
    left: usize,
    behind: Option<Reserved>,
}

/// How many blocks of such a memory so many bytes take.
pub const fn blocks_of<M: Memory>(bytes: u32) -> usize {
    (bytes as usize).div_ceil(M::BLOCK)
}

impl Runs {
    /// The bytes from `start` on of a file: of its own blocks, and of those that will be `behind` them. Takes time with
    /// the blocks before them; less if a place is `known`.
    pub fn new<M: Memory>(
        disk: &Disk<M>,
        entry: usize,
        bytes: Range<u32>,
        known: Option<Place>,
        behind: Option<Reserved>,
    ) -> Runs {
        let index = bytes.start / M::BLOCK as u32;
        let have = blocks_of::<M>(disk.size(entry)) as u32;
        let first = behind.map_or(NONE, |blocks| blocks.first);
        let known = known.filter(|known| known.index <= index);
        let mut place = match known {
            _ if index >= have => Place {
                index: have,
                block: first,
            },
            _ if index + 1 == have => Place {
                index,
                block: disk.get(entry, Field::Last),
            },
            Some(known) => known,
            None => Place {
                index: 0,
                block: disk.get(entry, Field::First),
            },
        };
        while place.index < index && place.block != NONE {
            place.block = disk.next(place.block);
            place.index += 1;
        }
        Runs {
            place,
            offset: bytes.start as usize % M::BLOCK,
            left: bytes.len(),
            behind,
        }
    }

    /// The next piece: its bytes in memory.
    pub fn next<M: Memory>(&mut self, disk: &Disk<M>) -> Option<Range<usize>> {
        if self.left == 0 || self.place.block == NONE {
            return None;
        }
        if self.offset == M::BLOCK {
            self.step_to(self.following(disk));
            self.place()?;
        }
        let start = disk.layout.bytes(self.place.block) + self.offset;
        let mut length = self.left.min(M::BLOCK - self.offset);
        self.offset += length;
        while length < self.left {
            let next = self.following(disk);
            if next != self.place.block + 1 {
                break;
            }
            self.step_to(next);
            self.offset = M::BLOCK.min(self.left - length);
            length += self.offset;
        }
        self.left -= length;
        Some(start..start + length)
    }

    /// The block in which it stands.
    pub fn place(&self) -> Option<Place> {
        (self.place.block != NONE).then_some(self.place)
    }

    /// That block alone.
    pub fn block(&self) -> Option<u32> {
        self.place().map(|place| place.block)
    }

    fn step_to(&mut self, block: u32) {
        self.place.block = block;
        self.place.index += 1;
        self.offset = 0;
    }

    fn following<M: Memory>(&self, disk: &Disk<M>) -> u32 {
        match (disk.next(self.place.block), self.behind) {
            (NONE, Some(blocks)) => blocks.first,
            (next, _) => next,
        }
    }
}
