//! The region in which the disk lies.

use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};

use files_server::Bytes;
use files_store::{Memory, Refused};
use riposte::{Answer, Part, Region, Token};

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

impl Bytes for Kept {
    type Piece = Part<'static>;

    #[inline]
    fn nothing() -> Part<'static> {
        Part::new(&[])
    }

    fn read(&self, position: usize, to: &mut [u8]) {
        let (words, rest) = self.aligned(position, to.len());
        let (whole, end) = to.split_at_mut(words.len() * 4);
        let (chunks, _) = whole.as_chunks_mut::<4>();
        for (to, word) in chunks.iter_mut().zip(words) {
            *to = word.load(Ordering::Relaxed).to_le_bytes();
        }
        if !end.is_empty() {
            self.region.read(rest, end);
        }
    }

    fn write(&mut self, position: usize, from: &[u8]) {
        let (words, rest) = self.aligned(position, from.len());
        let (whole, end) = from.split_at(words.len() * 4);
        let (chunks, _) = whole.as_chunks::<4>();
        for (word, from) in words.iter().zip(chunks) {
            word.store(u32::from_le_bytes(*from), Ordering::Relaxed);
        }
        if !end.is_empty() {
            // It is this process's to write.
            let _ = self.region.write(rest, end);
        }
    }

    #[inline]
    fn piece(&self, bytes: Range<usize>) -> Option<Part<'static>> {
        self.region.part(bytes)
    }

    /// The kernel copies, from where they lie.
    #[inline]
    fn answer<'a>(&self, client: Token, _: &'a mut [u8], pieces: &[Part<'static>]) -> Answer<'a> {
        let _ = client.reply_vector(pieces);
        Answer::later()
    }

    /// The kernel copies, to where they will lie.
    #[inline]
    fn take(&mut self, client: &Token, offset: usize, bytes: Range<usize>) -> bool {
        let length = bytes.len();
        let part = self.region.part_mut(bytes);
        let read = part.map(|mut part| client.read_part(offset as u32, &mut part));
        read == Some(Ok(length))
    }

    /// What is written is where it is kept.
    #[inline(always)]
    fn settle(&mut self) -> Result<(), Refused> {
        Ok(())
    }

    /// It never fails.
    fn reopen(&mut self) -> Result<(), Refused> {
        Ok(())
    }

    fn fail(&mut self) {}
}

impl Memory for Kept {
    const BLOCK: usize = 256;

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
