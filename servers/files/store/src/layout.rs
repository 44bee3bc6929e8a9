//! What lies where on a disk: a head, the entries, for each block the next one of its chain, and the blocks at the end.

use crate::change;

/// The longest name, in bytes.
pub const NAME: usize = 32;
/// Most blocks.
pub const MOST_BLOCKS: usize = 4096;
/// Most files and directories, the root among them.
pub const MOST_ENTRIES: usize = 256;

/// "RDSK": a disk as this version makes it.
pub const MAGIC: u32 = 0x4B53_4452;

/// "MAKE": one that is being made, which has not come to its end.
pub const MAKING: u32 = 0x454B_414D;

/// Where the first words are: [`MAGIC`], the number of blocks, that of entries.
pub const SHAPE: usize = 0;
/// The first block of the chain of free ones.
pub const FREE: usize = 3;
/// How many it has.
pub const FREE_COUNT: usize = 4;
/// What is being changed: see [`change`].
pub const LOG: usize = 5;
const HEAD: usize = LOG + change::LOG_WORDS;

/// Words of a name.
pub const NAME_WORDS: usize = NAME / 4;
/// Words of an entry.
const ENTRY: usize = Field::Name as usize + NAME_WORDS;

/// Words of an entry.
#[derive(Clone, Copy)]
pub enum Field {
    /// What it is, whose, and how long its name is; 0 if there is none.
    State,
    /// The directory in which it is.
    Parent,
    /// Bytes of a file.
    Size,
    /// Its first block.
    First,
    /// Its last block.
    Last,
    /// The first word of its name.
    Name,
}

/// How many entries and blocks a disk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub entries: usize,
    pub blocks: usize,
    /// Bytes of a block.
    block: usize,
    /// Words in all.
    words: usize,
}

impl Layout {
    /// As many blocks, of so many bytes, as so many words have room for beside so many entries: at least one.
    pub fn new(words: usize, entries: usize, block: usize) -> Option<Layout> {
        let rest = words.checked_sub(HEAD + entries * ENTRY)?;
        let blocks = (rest / (block / 4 + 1)).min(MOST_BLOCKS);
        let fits = blocks > 0 && (1..=MOST_ENTRIES).contains(&entries);
        fits.then_some(Layout {
            entries,
            blocks,
            block,
            words,
        })
    }

    /// Words that a disk of one block needs.
    pub const fn least(entries: usize, block: usize) -> usize {
        HEAD + entries * ENTRY + block / 4 + 1
    }

    /// Words that the largest disk needs: of more, some lie between its head and its blocks.
    pub const fn most(entries: usize, block: usize) -> usize {
        HEAD + entries * ENTRY + MOST_BLOCKS * (block / 4 + 1)
    }

    /// What the first words say.
    pub fn shape(self) -> [u32; 3] {
        [MAGIC, self.blocks as u32, self.entries as u32]
    }

    /// The position of a word of an entry.
    pub fn field(self, entry: usize, field: Field) -> usize {
        HEAD + entry * ENTRY + field as usize
    }

    /// The position of the word that says which block follows this one.
    pub fn next(self, block: u32) -> usize {
        HEAD + self.entries * ENTRY + block as usize
    }

    /// The first byte of a block.
    pub fn bytes(self, block: u32) -> usize {
        self.words * 4 - (self.blocks - block as usize) * self.block
    }
}
