//! What a disk must be like when it is opened.

use crate::Held;
use crate::change;
use crate::disk::{CLIENTS, Disk, Kind, NONE, ROOT};
use crate::layout::{Field, MOST_BLOCKS};
use crate::memory::Memory;
use crate::runs::blocks_of;

/// Blocks that have been seen.
struct Seen([u32; MOST_BLOCKS / 32]);

impl Seen {
    /// Whether it is a block, and had not been seen.
    fn is_new(&mut self, block: u32, blocks: usize) -> bool {
        let bit = 1 << (block % 32);
        match self.0.get_mut(block as usize / 32) {
            Some(word) if (block as usize) < blocks && *word & bit == 0 => {
                *word |= bit;
                true
            }
            _ => false,
        }
    }
}

impl<M: Memory> Disk<M> {
    /// Finds the disk of this shape that its memory holds, and makes the change that was being made.
    pub fn recover(&mut self) -> Result<(), Held> {
        let mut shape = (0..).zip(self.layout.shape());
        if !shape.all(|(n, word)| self.memory.load(n) == word) {
            return Err(Held::Nothing);
        }
        let end = self.layout.next(self.layout.blocks as u32);
        if !change::replay(&mut self.memory, end) || !self.is_sound() {
            return Err(Held::Damaged);
        }
        self.sweep();
        Ok(())
    }

    /// Whether everything fits together: there is a root, each block is in one chain, each entry in a directory that the root leads to.
    /// Counts what each client has. Takes time with the square of the number of entries.
    pub fn is_sound(&mut self) -> bool {
        self.blocks = [0; CLIENTS];
        self.entries = [0; CLIENTS];
        let mut seen = Seen([0; MOST_BLOCKS / 32]);
        let mut used = 0;
        for entry in 0..self.layout.entries {
            if entry != ROOT && self.get(entry, Field::State) == 0 {
                continue;
            }
            let Some(kind) = self.kind(entry) else {
                return false;
            };
            if !self.has_place(entry) {
                return false;
            }
            if entry != ROOT {
                let owner = self.owner(entry);
                let Some(entries) = self.entries.get_mut(owner) else {
                    return false;
                };
                *entries += 1;
            }
            let blocks = blocks_of::<M>(self.size(entry));
            if kind != Kind::File && blocks > 0 {
                return false;
            }
            let (first, last) = (self.get(entry, Field::First), self.get(entry, Field::Last));
            if !self.is_chain(first, last, blocks, &mut seen, true) {
                return false;
            }
            used += blocks;
        }
        let free = self.free_blocks();
        let first = self.memory.load(crate::layout::FREE);
        used + free == self.layout.blocks && self.is_chain(first, NONE, free, &mut seen, false)
    }

    /// Whether a chain of so many blocks, none of which has been seen, ends where it should.
    fn is_chain(
        &mut self,
        first: u32,
        last: u32,
        length: usize,
        seen: &mut Seen,
        owned: bool,
    ) -> bool {
        let (mut block, mut end) = (first, NONE);
        for _ in 0..length {
            if !seen.is_new(block, self.layout.blocks) {
                return false;
            }
            if owned {
                let owner = self.owner_of_block(block);
                let Some(blocks) = self.blocks.get_mut(owner) else {
                    return false;
                };
                *blocks += 1;
            }
            end = block;
            block = self.next(block);
        }
        block == NONE && (!owned || end == last)
    }

    /// Whether an entry has a name of its own in a directory that the root leads to, or none at all any more.
    fn has_place(&self, entry: usize) -> bool {
        if entry == ROOT {
            return self.kind(ROOT) == Some(Kind::Directory) && self.parent(ROOT) == Some(ROOT);
        }
        let Some(parent) = self.parent(entry) else {
            return true;
        };
        let name = self.name(entry);
        let is_reached = name.is_sound() && self.leads_to_root(parent);
        is_reached && self.find(parent, &name) == Some(entry)
    }

    /// Whether it is a directory, and all above it are, up to the root.
    fn leads_to_root(&self, mut entry: usize) -> bool {
        for _ in 0..self.layout.entries {
            if entry >= self.layout.entries || self.directory(entry).is_err() {
                return false;
            }
            match self.parent(entry) {
                _ if entry == ROOT => return true,
                Some(parent) => entry = parent,
                None => return false,
            }
        }
        false
    }

    /// Takes away what had no name any more, and was kept because it was open: nothing is open now.
    pub fn sweep(&mut self) {
        for entry in 1..self.layout.entries {
            if self.kind(entry).is_some() && self.parent(entry).is_none() {
                self.remove(entry, false);
            }
        }
    }

    /// Whether a directory is another one, or in it.
    pub fn is_within(&self, mut entry: usize, directory: usize) -> bool {
        for _ in 0..self.layout.entries {
            if entry == directory {
                return true;
            }
            match self.parent(entry) {
                Some(parent) if parent != entry => entry = parent,
                _ => return false,
            }
        }
        false
    }
}
