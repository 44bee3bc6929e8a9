//! A store of files on blocks, which a power that goes between any two of their writes leaves whole.
//!
//! The store is the one that keeps files in a region (`files-store`): it needs words that are written one after the
//! other, and is whole wherever it is ended between two of them. Here are such words, on blocks. What says what lies
//! where, the head of the store, is in memory as well. Stores to it go to its block, one after the other, and the block is
//! written before anything else is: a block is written whole or not at all, so that what is on the disk is what some
//! number of stores have made of it, from the first one on. That is all that the store asks.
//!
//! There is no heap, and nothing here knows of messages.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

use core::cell::{Cell, RefCell};
use core::ops::Range;

use block_disk::{BLOCK, Disk, is_blank};
use files_store::{
    CLIENTS, Held, MAKING, MOST_BLOCKS, MOST_ENTRIES, Memory, Refused, Share, Store, TooSmall,
};

/// Words of a block.
const WORDS: usize = BLOCK / 4;
/// Words of the largest head: entries, which block follows which, and what is left of its last block.
pub const HEAD: usize = (64 + MOST_ENTRIES * 13 + MOST_BLOCKS).next_multiple_of(WORDS) + WORDS;
/// Blocks, as words of which those at the beginning are in memory, too.
pub struct Words<'h, D> {
    disk: RefCell<D>,
    /// How many there are.
    words: usize,
    /// Those at the beginning: of whole blocks.
    head: &'h mut [u32],
    /// The block of them that has changed since it was written.
    changed: Option<usize>,
    /// Whether something could not be read or written. Nothing is written then any more, until it is opened again.
    failed: Cell<bool>,
}

impl<'h, D: Disk> Words<'h, D> {
    /// The words of a disk, of which as many as `room` has at most are used for the head of a store of so many entries.
    ///
    /// # Errors
    /// [`Refused::NoSpace`] if the disk, or the room, is too small; [`Refused::Damaged`] if it can't be read.
    pub fn open(
        mut disk: D,
        room: &'h mut [u32; HEAD],
        entries: usize,
    ) -> Result<Words<'h, D>, Refused> {
        let most = files_store::most_words(entries, BLOCK);
        let words = words_of(&disk).min(most.next_multiple_of(WORDS));
        let bytes = files_store::head(words, entries, BLOCK);
        let bytes = bytes.map_err(|TooSmall(_)| Refused::NoSpace)?;
        let head = room.get_mut(..(bytes / 4).next_multiple_of(WORDS));
        let head = head.ok_or(Refused::NoSpace)?;
        fetch(&mut disk, head)?;
        Ok(Words {
            disk: RefCell::new(disk),
            words,
            head,
            changed: None,
            failed: Cell::new(false),
        })
    }

    /// After a failure: what is on the disk now. What was to be written is forgotten.
    ///
    /// # Errors
    /// [`Refused::Damaged`] if it can't be read.
    pub fn reopen(&mut self) -> Result<(), Refused> {
        fetch(self.disk.get_mut(), self.head)?;
        self.changed = None;
        self.failed.set(false);
        Ok(())
    }

    /// From now on it counts as failed.
    pub fn fail(&mut self) {
        self.failed.set(true);
    }

    /// Whether nothing was ever written here: or the making of a store, whose first word says so from the beginning to the
    /// end, had not come to its end.
    fn is_blank(&mut self) -> Result<bool, Refused> {
        if self.head.first() == Some(&MAKING) {
            return Ok(true);
        }
        if self.head.iter().any(|word| *word != 0) {
            return Ok(false);
        }
        let behind = (self.head.len() / WORDS) as u32;
        is_blank(self.disk.get_mut(), behind).map_err(|_| Refused::Damaged)
    }

    /// Writes what has changed: when it returns, all that was stored and written is where it is kept.
    ///
    /// # Errors
    /// [`Refused::Damaged`] if that, or something before, has failed. Nothing will be written any more, until it is
    /// [opened again](Words::reopen).
    pub fn settle(&mut self) -> Result<(), Refused> {
        if let Some(n) = self.changed.take() {
            let words = self.head.get(n * WORDS..(n + 1) * WORDS);
            let mut block = [0; BLOCK];
            let (chunks, _) = block.as_chunks_mut::<4>();
            for (to, word) in chunks.iter_mut().zip(words.unwrap_or_default()) {
                *to = word.to_le_bytes();
            }
            self.put(n, &block);
        }
        match self.failed.get() {
            true => Err(Refused::Damaged),
            false => Ok(()),
        }
    }

    /// Writes blocks, if nothing has failed.
    fn put(&mut self, block: usize, bytes: &[u8]) {
        if !self.failed.get() && self.disk.get_mut().write(block as u32, bytes).is_err() {
            self.failed.set(true);
        }
    }

    fn get(&self, block: usize, bytes: &mut [u8]) {
        let read = self.disk.borrow_mut().read(block as u32, bytes);
        if read.is_err() {
            bytes.fill(0);
            self.failed.set(true);
        }
    }

    /// Whether something could not be read or written.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failed.get()
    }

    /// Copies the bytes from a position on: as many as `to` has.
    pub fn read(&self, position: usize, to: &mut [u8]) {
        let (mut position, mut rest) = (position, to);
        while !rest.is_empty() {
            let (block, within) = (position / BLOCK, position % BLOCK);
            let whole = rest.len() / BLOCK * BLOCK;
            let count = if block * WORDS < self.head.len() {
                let bytes = self.head.get(position / 4..).unwrap_or_default();
                let bytes = bytes.iter().flat_map(|word| word.to_le_bytes());
                let count = rest.len().min(BLOCK - within);
                let bytes = bytes.skip(position % 4);
                rest.iter_mut()
                    .take(count)
                    .zip(bytes)
                    .for_each(|(to, from)| *to = from);
                count
            } else if within == 0 && whole > 0 {
                self.get(block, rest.get_mut(..whole).unwrap_or_default());
                whole
            } else {
                let mut bytes = [0; BLOCK];
                self.get(block, &mut bytes);
                let count = rest.len().min(BLOCK - within);
                let from = bytes.get(within..within + count).unwrap_or_default();
                if let Some(to) = rest.get_mut(..count) {
                    to.copy_from_slice(from);
                }
                count
            };
            position += count;
            rest = rest.get_mut(count..).unwrap_or_default();
        }
    }

    /// Writes bytes from a position on, after everything before.
    pub fn write(&mut self, position: usize, from: &[u8]) {
        let (mut position, mut rest) = (position, from);
        while !rest.is_empty() {
            let (block, within) = (position / BLOCK, position % BLOCK);
            let whole = rest.len() / BLOCK * BLOCK;
            let count = if block * WORDS < self.head.len() {
                let count = rest.len().min(BLOCK - within);
                let bytes = rest.get(..count).unwrap_or_default();
                for (position, byte) in (position..).zip(bytes) {
                    let shift = position % 4 * 8;
                    let word = self.load(position / 4);
                    let word = word & !(0xFF << shift) | u32::from(*byte) << shift;
                    self.store(position / 4, word);
                }
                count
            } else {
                // What was stored before is written before.
                let _ = self.settle();
                if within == 0 && whole > 0 {
                    self.put(block, rest.get(..whole).unwrap_or_default());
                    whole
                } else {
                    let mut bytes = [0; BLOCK];
                    self.get(block, &mut bytes);
                    let count = rest.len().min(BLOCK - within);
                    let to = bytes.get_mut(within..within + count);
                    if let (Some(to), Some(from)) = (to, rest.get(..count)) {
                        to.copy_from_slice(from);
                    }
                    self.put(block, &bytes);
                    count
                }
            };
            position += count;
            rest = rest.get(count..).unwrap_or_default();
        }
    }
}

impl<D: Disk> Memory for Words<'_, D> {
    const BLOCK: usize = BLOCK;

    fn words(&self) -> usize {
        self.words
    }

    fn load(&self, position: usize) -> u32 {
        if let Some(word) = self.head.get(position) {
            return *word;
        }
        let mut bytes = [0; 4];
        self.read(position * 4, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn store(&mut self, position: usize, value: u32) {
        let block = position / WORDS;
        if position >= self.head.len() {
            return self.write(position * 4, &value.to_le_bytes());
        }
        if self.changed != Some(block) {
            // Of a failure the next who settles learns.
            let _ = self.settle();
            self.changed = Some(block);
        }
        if let Some(word) = self.head.get_mut(position) {
            *word = value;
        }
    }

    fn clear(&mut self, bytes: Range<usize>) {
        const ZEROS: [u8; 4 * BLOCK] = [0; 4 * BLOCK];
        let mut position = bytes.start;
        while position < bytes.end {
            // From the next block on, whole blocks.
            let to_block = (position + 1).next_multiple_of(BLOCK) - position;
            let most = if position.is_multiple_of(BLOCK) {
                ZEROS.len()
            } else {
                to_block
            };
            let length = most.min(bytes.end - position);
            self.write(position, ZEROS.get(..length).unwrap_or_default());
            position += length;
        }
    }
}

/// Reads the words at the beginning of a disk.
fn fetch(disk: &mut impl Disk, head: &mut [u32]) -> Result<(), Refused> {
    let mut block = [0; BLOCK];
    for (n, words) in head.chunks_mut(WORDS).enumerate() {
        let read = disk.read(n as u32, &mut block);
        read.map_err(|_| Refused::Damaged)?;
        let (bytes, _) = block.as_chunks::<4>();
        for (word, bytes) in words.iter_mut().zip(bytes) {
            *word = u32::from_le_bytes(*bytes);
        }
    }
    Ok(())
}

/// How many words a disk has.
pub fn words_of(disk: &impl Disk) -> usize {
    disk.blocks() as usize * WORDS
}

/// The store in these words, with so many entries, one of them the root; words in which nothing was ever written get one.
/// What each client may have. At most `FILES` files are open. `with` makes the store's memory of them. What was stored
/// meanwhile is still to be [settled](Words::settle).
///
/// # Errors
/// [`Refused::NoSpace`] if there are too few words; [`Refused::Damaged`] if there is something else, a store of another
/// shape, or one that does not fit together. Then nothing is written but a change that was being made.
pub fn mount<'h, D: Disk, M: Memory, const FILES: usize>(
    mut words: Words<'h, D>,
    with: impl FnOnce(Words<'h, D>) -> M,
    entries: usize,
    shares: [Share; CLIENTS],
) -> Result<(Store<M, FILES>, Held), Refused> {
    if words.is_blank()? {
        let made = Store::open(with(words), entries, shares);
        return made.map_err(|TooSmall(_)| Refused::NoSpace);
    }
    let store = Store::mount(with(words), entries, shares);
    Ok((store.map_err(|_| Refused::Damaged)?, Held::Disk))
}
