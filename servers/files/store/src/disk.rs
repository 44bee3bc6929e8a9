//! A disk: entries in directories, and chains of blocks.
//!
//! An entry knows its directory and its name, so that a directory has no blocks and never grows. The blocks of a file
//! are a chain, and so are all free ones: any number of blocks changes hands by a few words.

use crate::Refused;
use crate::change::Change;
use crate::layout::{FREE, FREE_COUNT, Field, Layout, NAME, NAME_WORDS};
use crate::memory::Memory;

/// The entry that is the root, which is its own parent.
pub const ROOT: usize = 0;
/// Most clients that write.
pub const CLIENTS: usize = 16;
/// Follows the last block of a chain.
pub const NONE: u32 = 0xFF_FFFF;
/// Bits of a block in what says which follows; whose block it is stands above them.
const BLOCK_BITS: u32 = 24;
/// The parent of a file that is open, and has no name any more.
const REMOVED: u32 = u32::MAX;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes.
    File,
    /// Files and directories.
    Directory,
    /// A name for a pipe.
    Fifo,
}

/// A name as it lies in an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Name {
    words: [u32; NAME_WORDS],
    length: usize,
}

/// Blocks that are still free, and will be somebody's.
#[derive(Clone, Copy)]
pub struct Reserved {
    pub first: u32,
    last: u32,
    count: usize,
    /// The free block behind them.
    rest: u32,
}

/// A disk, and how much of it each client has.
pub struct Disk<M> {
    pub memory: M,
    pub layout: Layout,
    pub blocks: [u32; CLIENTS],
    pub entries: [u32; CLIENTS],
}

impl Name {
    /// The name that these bytes are: at least one.
    #[inline(always)]
    pub fn new(bytes: &[u8]) -> Result<Name, Refused> {
        if bytes.len() > NAME {
            return Err(Refused::NameTooLong);
        }
        let mut words = [0; NAME_WORDS];
        for (n, byte) in bytes.iter().enumerate() {
            // By shifts: copied byte by byte to their places, words take several times as long.
            words[n / 4] |= u32::from(*byte) << (n % 4 * 8);
        }
        let length = bytes.len();
        Ok(Name { words, length })
    }

    /// Whether a path can say it.
    pub fn is_sound(self) -> bool {
        let (bytes, length) = self.bytes();
        let (Some(name), Some(rest)) = (bytes.get(..length), bytes.get(length..)) else {
            return false;
        };
        !matches!(name, b"" | b"." | b"..")
            && !name.iter().any(|byte| matches!(byte, 0 | b'/'))
            && core::str::from_utf8(name).is_ok()
            && rest.iter().all(|byte| *byte == 0)
    }

    /// Its bytes; how many of them.
    pub fn bytes(self) -> ([u8; NAME], usize) {
        let mut bytes = [0; NAME];
        let (chunks, _) = bytes.as_chunks_mut::<4>();
        for (to, word) in chunks.iter_mut().zip(self.words) {
            *to = word.to_le_bytes();
        }
        (bytes, self.length)
    }
}

fn state(kind: Kind, client: usize, name: Name) -> u32 {
    let kind = match kind {
        Kind::File => 1,
        Kind::Directory => 2,
        // One bit that has changed makes neither of the others of it.
        Kind::Fifo => 7,
    };
    (name.length as u32) << 16 | (client as u32) << 8 | kind
}

impl<M: Memory> Disk<M> {
    /// Without anything: the free chain has all blocks, the root is empty.
    pub fn format(memory: M, layout: Layout) -> Disk<M> {
        let mut disk = Disk {
            memory,
            layout,
            blocks: [0; CLIENTS],
            entries: [0; CLIENTS],
        };
        // What makes it a disk goes first, and comes last.
        disk.memory
            .store(crate::layout::SHAPE, crate::layout::MAKING);
        disk.memory.store(crate::layout::LOG, 0);
        let last = layout.blocks as u32 - 1;
        // From the end on: where memory is written in pieces, the first piece, which may hold the beginning of the chain, is
        // written once more when it says what this is.
        for block in (0..=last).rev() {
            let next = if block == last { NONE } else { block + 1 };
            disk.memory.store(layout.next(block), next);
        }
        disk.memory.store(FREE, 0);
        disk.memory.store(FREE_COUNT, layout.blocks as u32);
        for entry in 1..layout.entries {
            disk.memory.store(layout.field(entry, Field::State), 0);
        }
        let nameless = Name {
            words: [0; NAME_WORDS],
            length: 0,
        };
        disk.write_entry(ROOT, ROOT, nameless, state(Kind::Directory, 0, nameless));
        for (position, word) in layout.shape().into_iter().enumerate().rev() {
            disk.memory.store(position, word);
        }
        disk
    }

    #[inline]
    pub fn get(&self, entry: usize, field: Field) -> u32 {
        self.memory.load(self.layout.field(entry, field))
    }

    /// What an entry is, if it is one.
    pub fn kind(&self, entry: usize) -> Option<Kind> {
        match self.get(entry, Field::State) & 0xFF {
            1 => Some(Kind::File),
            2 => Some(Kind::Directory),
            7 => Some(Kind::Fifo),
            _ => None,
        }
    }

    /// Whose entry it is.
    pub fn owner(&self, entry: usize) -> usize {
        (self.get(entry, Field::State) >> 8 & 0xFF) as usize
    }

    pub fn size(&self, entry: usize) -> u32 {
        self.get(entry, Field::Size)
    }

    /// The directory of an entry; none if it has no name any more.
    pub fn parent(&self, entry: usize) -> Option<usize> {
        let parent = self.get(entry, Field::Parent);
        (parent != REMOVED).then_some(parent as usize)
    }

    pub fn name(&self, entry: usize) -> Name {
        let start = self.layout.field(entry, Field::Name);
        let mut words = [0; NAME_WORDS];
        for (n, word) in words.iter_mut().enumerate() {
            *word = self.memory.load(start + n);
        }
        let length = (self.get(entry, Field::State) >> 16) as usize;
        Name { words, length }
    }

    /// The entry of that name in a directory. Takes time with the number of all entries.
    pub fn find(&self, parent: usize, name: &Name) -> Option<usize> {
        (1..self.layout.entries).find(|entry| {
            self.get(*entry, Field::Parent) == parent as u32
                && self.get(*entry, Field::State) >> 16 == name.length as u32
                && self.is_named(*entry, name)
        })
    }

    /// Whether the entry has the words of a name.
    fn is_named(&self, entry: usize, name: &Name) -> bool {
        let start = self.layout.field(entry, Field::Name);
        let words = name.words.iter().take(name.length.div_ceil(4));
        (start..)
            .zip(words)
            .all(|(n, word)| self.memory.load(n) == *word)
    }

    /// The first entry of a directory from a position on, if there is one.
    pub fn next_in(&self, parent: usize, from: usize) -> Option<usize> {
        (from.max(1)..self.layout.entries).find(|entry| {
            self.get(*entry, Field::Parent) == parent as u32 && self.kind(*entry).is_some()
        })
    }

    /// A new entry of a client's.
    pub fn create(
        &mut self,
        parent: usize,
        name: &[u8],
        kind: Kind,
        client: usize,
    ) -> Result<usize, Refused> {
        let name = Name::new(name)?;
        let mut entries = 1..self.layout.entries;
        let entry = entries
            .find(|entry| self.get(*entry, Field::State) == 0)
            .ok_or(Refused::NoSpace)?;
        self.write_entry(entry, parent, name, state(kind, client, name));
        self.entries[client] += 1;
        Ok(entry)
    }

    /// Writes an empty entry where none is: the state, which makes it one, comes last.
    fn write_entry(&mut self, entry: usize, parent: usize, name: Name, state: u32) {
        let fields = [
            (Field::Parent, parent as u32),
            (Field::Size, 0),
            (Field::First, NONE),
            (Field::Last, NONE),
        ];
        for (field, value) in fields {
            self.memory.store(self.layout.field(entry, field), value);
        }
        let start = self.layout.field(entry, Field::Name);
        for (n, word) in name.words.into_iter().enumerate() {
            self.memory.store(start + n, word);
        }
        let position = self.layout.field(entry, Field::State);
        self.memory.store(position, state);
    }

    /// Gives an entry another name, in another directory. The one that had it goes, or loses it if it is open.
    pub fn rename(
        &mut self,
        entry: usize,
        parent: usize,
        name: Name,
        replaced: Option<(usize, bool)>,
    ) {
        let mut change = Change::new();
        let field = |field| self.layout.field(entry, field);
        let state = self.get(entry, Field::State) & 0xFFFF;
        change.set(field(Field::State), state | (name.length as u32) << 16);
        change.set(field(Field::Parent), parent as u32);
        for (n, word) in name.words.into_iter().enumerate() {
            change.set(field(Field::Name) + n, word);
        }
        match replaced {
            Some((other, is_open)) => self.remove_with(change, other, is_open),
            None => change.commit(&mut self.memory),
        }
    }

    /// Takes an entry away, with its blocks; one that is open only loses its name.
    pub fn remove(&mut self, entry: usize, is_open: bool) {
        self.remove_with(Change::new(), entry, is_open);
    }

    fn remove_with(&mut self, mut change: Change, entry: usize, is_open: bool) {
        if is_open {
            change.set(self.layout.field(entry, Field::Parent), REMOVED);
            return change.commit(&mut self.memory);
        }
        let owner = self.owner(entry);
        let (first, last) = (self.get(entry, Field::First), self.get(entry, Field::Last));
        self.free(&mut change, first, last);
        change.set(self.layout.field(entry, Field::State), 0);
        change.commit(&mut self.memory);
        if let Some(entries) = self.entries.get_mut(owner) {
            *entries = entries.saturating_sub(1);
        }
    }

    /// The block that follows another one.
    #[inline]
    pub fn next(&self, block: u32) -> u32 {
        self.memory.load(self.layout.next(block)) & NONE
    }

    /// Whose block it is.
    pub fn owner_of_block(&self, block: u32) -> usize {
        (self.memory.load(self.layout.next(block)) >> BLOCK_BITS) as usize
    }

    /// A word for the chain: which block follows that of an owner.
    fn link(owner: usize, next: u32) -> u32 {
        (owner as u32) << BLOCK_BITS | next
    }

    pub fn free_blocks(&self) -> usize {
        self.memory.load(FREE_COUNT) as usize
    }

    /// The first so many free blocks, of which there are as many, for a client. They stay free until they are
    /// [attached](Disk::attach).
    pub fn reserve(&mut self, count: usize, client: usize) -> Option<Reserved> {
        if count == 0 {
            return None;
        }
        let first = self.memory.load(FREE);
        let (mut last, mut rest) = (first, first);
        for _ in 0..count {
            last = rest;
            rest = self.next(last);
            // Whose a free block is does not matter.
            let position = self.layout.next(last);
            self.memory.store(position, Self::link(client, rest));
        }
        Some(Reserved {
            first,
            last,
            count,
            rest,
        })
    }

    /// Makes reserved blocks a client's, at the end of a file that has so many bytes then.
    pub fn attach(&mut self, entry: usize, blocks: Option<Reserved>, client: usize, size: u32) {
        let mut change = Change::new();
        let field = |field| self.layout.field(entry, field);
        if let Some(new) = blocks {
            let end = self.get(entry, Field::Last);
            if end == NONE {
                change.set(field(Field::First), new.first);
            } else {
                let owner = self.owner_of_block(end);
                change.set(self.layout.next(end), Self::link(owner, new.first));
            }
            change.set(field(Field::Last), new.last);
            change.set(self.layout.next(new.last), Self::link(client, NONE));
            change.set(FREE, new.rest);
            let left = self.free_blocks() - new.count;
            change.set(FREE_COUNT, left as u32);
            self.blocks[client] += new.count as u32;
        }
        change.set(field(Field::Size), size);
        change.commit(&mut self.memory);
    }

    /// Leaves a file so many bytes, in the blocks up to this one: in none at all if there is none.
    pub fn cut(&mut self, entry: usize, last: Option<u32>, size: u32) {
        let mut change = Change::new();
        let field = |field| self.layout.field(entry, field);
        let end = self.get(entry, Field::Last);
        match last {
            Some(last) if last != end => {
                let next = self.next(last);
                let owner = self.owner_of_block(last);
                change.set(self.layout.next(last), Self::link(owner, NONE));
                change.set(field(Field::Last), last);
                self.free(&mut change, next, end);
            }
            Some(_) => {}
            None => {
                let first = self.get(entry, Field::First);
                change.set(field(Field::First), NONE);
                change.set(field(Field::Last), NONE);
                self.free(&mut change, first, end);
            }
        }
        change.set(self.layout.field(entry, Field::Size), size);
        change.commit(&mut self.memory);
    }

    /// Puts a chain before the free ones. Takes time with its blocks.
    fn free(&mut self, change: &mut Change, first: u32, last: u32) {
        if first == NONE {
            return;
        }
        let (mut block, mut count) = (first, 0);
        // A chain has no more blocks than there are.
        while block != NONE && count < self.layout.blocks {
            let owner = self.owner_of_block(block);
            if let Some(blocks) = self.blocks.get_mut(owner) {
                *blocks = blocks.saturating_sub(1);
            }
            count += 1;
            block = self.next(block);
        }
        change.set(self.layout.next(last), self.memory.load(FREE));
        change.set(FREE, first);
        change.set(FREE_COUNT, (self.free_blocks() + count) as u32);
    }
}
