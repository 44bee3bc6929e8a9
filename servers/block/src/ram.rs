//! A card in memory: the region `card`, which outlives this process but no power.

use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};

use riposte::{Region, Token};
use riposte_block::protocol::{BLOCK, REQUEST, status};

use crate::device::{Blocks, Device, Failed, Source};

/// The region.
pub struct Ram {
    region: Region,
    words: &'static [AtomicU32],
}

impl Ram {
    /// The region `card`.
    pub fn open() -> Ram {
        let Ok(region) = riposte::region("card") else {
            panic!("the block server has no card: it needs a [[region]] `card` in app.toml");
        };
        let Ok(words) = region.words() else {
            panic!("the region `card` in app.toml needs access = \"read-write\"");
        };
        Ram { region, words }
    }
}

/// The bytes of these blocks.
fn bytes(blocks: Blocks) -> Range<usize> {
    let start = blocks.first as usize * BLOCK;
    start..start + blocks.count as usize * BLOCK
}

impl Device for Ram {
    fn blocks(&self) -> u32 {
        (self.region.length() / BLOCK) as u32
    }

    /// The kernel copies, from where the blocks lie.
    fn read(&mut self, blocks: Blocks, client: Token) {
        // A client that has left reads nothing.
        let _ = match self.region.part(bytes(blocks)) {
            Some(part) => client.reply_vector(&[part]).map(drop),
            None => client.reply_error(status::IO),
        };
    }

    /// The kernel copies, to where the blocks lie. What has come already, a single block, is copied here: nobody's end
    /// but this process's own leaves a part of it, and then the client asks the next life the same.
    fn write(&mut self, blocks: Blocks, from: Source<'_>) -> Result<(), Failed> {
        let bytes = bytes(blocks);
        match from {
            Source::Here(from) => {
                let words = bytes.start / 4..bytes.end / 4;
                let (chunks, _) = from.as_chunks::<4>();
                let to = self.words.get(words).ok_or(Failed)?;
                for (to, from) in to.iter().zip(chunks) {
                    to.store(u32::from_le_bytes(*from), Ordering::Relaxed);
                }
                Ok(())
            }
            Source::AtClient(client) => {
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
