//! A card in memory: the region `card`, which outlives this process but no power.

use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering, fence};

use riposte::{Region, Token};
use riposte_block::protocol::{BLOCK, REQUEST, status};

use crate::device::{Blocks, Device, Failed, Source};

/// Words of a block.
const WORDS: usize = BLOCK / 4;
/// Blocks at the end of the region that are nobody's: one on its way, and one that says where it goes.
const OWN: usize = 2;

/// The region.
pub struct Ram {
    region: Region,
    /// Those of the blocks.
    words: &'static [AtomicU32],
    /// A block that is being written, and the word behind it: 0, or 1 and the number of its place. While that says a
    /// place, the next life of this process goes on with the copy.
    staged: &'static [AtomicU32],
}

impl Ram {
    /// The region `card`, in which each block is whole.
    pub fn open() -> Ram {
        let Ok(region) = riposte::region("card") else {
            panic!("the block server has no card: it needs a [[region]] `card` in app.toml");
        };
        let Ok(words) = region.words() else {
            panic!("the region `card` in app.toml needs access = \"read-write\"");
        };
        let Some(own) = words.len().checked_sub(OWN * WORDS) else {
            panic!("the region `card` in app.toml is too small");
        };
        let (words, rest) = words.split_at(own);
        let staged = rest.get(..=WORDS).unwrap_or_default();
        let ram = Ram {
            region,
            words,
            staged,
        };
        ram.put();
        ram
    }

    /// Puts the block that is on its way, if there is one, in its place.
    fn put(&self) {
        let Some((place, block)) = self.staged.split_last() else {
            return;
        };
        let number = place.load(Ordering::Relaxed) as usize;
        // What was stored before is there before any word of the block changes.
        fence(Ordering::Release);
        let to = number.checked_sub(1).map(|it| it * WORDS..(it + 1) * WORDS);
        let to = to.and_then(|to| self.words.get(to)).unwrap_or_default();
        for (to, from) in to.iter().zip(block) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        place.store(0, Ordering::Release);
    }
}

/// The bytes of these blocks.
fn bytes(blocks: Blocks) -> Range<usize> {
    let start = blocks.first as usize * BLOCK;
    start..start + blocks.count as usize * BLOCK
}

impl Device for Ram {
    fn blocks(&self) -> u32 {
        (self.words.len() / WORDS) as u32
    }

    /// The kernel copies, from where the blocks lie.
    fn read(&mut self, blocks: Blocks, client: Token) {
        // A client that has left reads nothing.
        let _ = match self.region.part(bytes(blocks)) {
            Some(part) => client.reply_vector(&[part]).map(drop),
            None => client.reply_error(status::IO),
        };
    }

    /// The kernel copies, to where the blocks lie. What has come already, a single block, is copied here: it is complete in
    /// the region before its place changes, so that it can be put there whoever ends meanwhile.
    fn write(&mut self, blocks: Blocks, from: Source<'_>) -> Result<(), Failed> {
        match from {
            Source::Here(from) => {
                let (place, block) = self.staged.split_last().ok_or(Failed)?;
                let (chunks, _) = from.as_chunks::<4>();
                for (to, from) in block.iter().zip(chunks) {
                    to.store(u32::from_le_bytes(*from), Ordering::Relaxed);
                }
                place.store(blocks.first + 1, Ordering::Release);
                self.put();
                Ok(())
            }
            Source::AtClient(client) => {
                let bytes = bytes(blocks);
                let length = bytes.len();
                let mut part = self.region.part_mut(bytes).ok_or(Failed)?;
                match client.read_part(REQUEST as u32, &mut part) {
                    Ok(copied) if copied == length => Ok(()),
                    _ => Err(Failed),
                }
            }
        }
    }
}
