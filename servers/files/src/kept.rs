//! The region in which the disk lies.

use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};

use files_store::Memory;
use riposte::{Part, PartMut, Region};

/// The region, which outlives this process.
pub struct Kept {
    region: Region,
    words: &'static [AtomicU32],
}

impl Kept {
    /// The region `files`.
    pub fn open() -> Kept {
        let region = riposte::region("files").unwrap();
        let Ok(words) = region.words() else {
            panic!("the region `files` in app.toml needs access = \"read-write\"");
        };
        Kept { region, words }
    }

    /// Copies the bytes from a position on: as many as `to` has.
    pub fn read(&self, position: usize, to: &mut [u8]) {
        let (words, rest) = self.aligned(position, to.len());
        let (whole, end) = to.split_at_mut(words.len() * 4);
        let (chunks, _) = whole.as_chunks_mut::<4>();
        for (to, word) in chunks.iter_mut().zip(words) {
            *to = word.load(Ordering::Relaxed).to_le_bytes();
        }
        self.region.read(rest, end);
    }

    /// Writes bytes from a position on.
    pub fn write(&mut self, position: usize, from: &[u8]) {
        let (words, rest) = self.aligned(position, from.len());
        let (whole, end) = from.split_at(words.len() * 4);
        let (chunks, _) = whole.as_chunks::<4>();
        for (word, from) in words.iter().zip(chunks) {
            word.store(u32::from_le_bytes(*from), Ordering::Relaxed);
        }
        // It is this process's to write.
        let _ = self.region.write(rest, end);
    }

    /// The bytes there, as a piece of an answer.
    pub fn part(&self, bytes: Range<usize>) -> Option<Part<'static>> {
        self.region.part(bytes)
    }

    /// The bytes there, as a place for a piece of a message.
    pub fn part_mut(&mut self, bytes: Range<usize>) -> Option<PartMut<'static>> {
        self.region.part_mut(bytes)
    }

    /// The whole words of so many bytes from a position on, and where the bytes behind them begin: none at a position
    /// between two words.
    fn aligned(&self, position: usize, length: usize) -> (&'static [AtomicU32], usize) {
        let start = position / 4;
        let count = if position.is_multiple_of(4) {
            length / 4
        } else {
            0
        };
        let words = self.words.get(start..start + count).unwrap_or_default();
        (words, position + words.len() * 4)
    }
}

impl Memory for Kept {
    fn words(&self) -> usize {
        self.words.len()
    }

    #[inline(always)]
    fn load(&self, position: usize) -> u32 {
        let word = self.words.get(position);
        word.map_or(0, |word| word.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn store(&mut self, position: usize, value: u32) {
        if let Some(word) = self.words.get(position) {
            word.store(value, Ordering::Release);
        }
    }

    fn clear(&mut self, bytes: Range<usize>) {
        const ZEROS: [u8; 64] = [0; 64];
        // From the next word on, whole words.
        let mut position = bytes.start;
        while position < bytes.end {
            let to_word = (position + 1).next_multiple_of(4) - position;
            let most = if position.is_multiple_of(4) {
                ZEROS.len()
            } else {
                to_word
            };
            let length = most.min(bytes.end - position);
            self.write(position, ZEROS.get(..length).unwrap_or_default());
            position += length;
        }
    }
}
