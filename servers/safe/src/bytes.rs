//! How bytes go between the card and clients.

use core::ops::Range;

use block_disk::BLOCK;
use files_server::{Bytes, status_of};
use files_store::{Memory, Refused};
use riposte::{Answer, Token};
use riposte_block::Card;
use safe_volume::Words;

/// The card's words.
pub struct OnCard<'w>(pub Words<'w, Card>);

impl Memory for OnCard<'_> {
    const BLOCK: usize = BLOCK;

    fn words(&self) -> usize {
        self.0.words()
    }

    #[inline(always)]
    fn load(&self, position: usize) -> u32 {
        self.0.load(position)
    }

    fn store(&mut self, position: usize, value: u32) {
        self.0.store(position, value);
    }

    fn clear(&mut self, bytes: Range<usize>) {
        self.0.clear(bytes);
    }
}

impl Bytes for OnCard<'_> {
    /// The first byte, and how many.
    type Piece = (usize, usize);

    fn nothing() -> (usize, usize) {
        (0, 0)
    }

    fn piece(&self, bytes: Range<usize>) -> Option<(usize, usize)> {
        Some((bytes.start, bytes.len()))
    }

    fn read(&self, position: usize, to: &mut [u8]) {
        self.0.read(position, to);
    }

    fn write(&mut self, position: usize, from: &[u8]) {
        self.0.write(position, from);
    }

    /// By way of this process: the card is the block server's.
    fn answer<'a>(
        &self,
        client: Token,
        buffer: &'a mut [u8],
        pieces: &[(usize, usize)],
    ) -> Answer<'a> {
        let mut filled = 0;
        for (start, length) in pieces {
            let end = filled + length;
            if let Some(to) = buffer.get_mut(filled..end) {
                self.0.read(*start, to);
            }
            filled = end;
        }
        if self.0.has_failed() {
            return Answer::error(client, status_of(Refused::Damaged));
        }
        Answer::bytes(client, buffer.get(..filled).unwrap_or_default())
    }

    /// All that is written was received with its request.
    fn take(&mut self, _: &Token, _: usize, _: Range<usize>) -> bool {
        false
    }

    fn settle(&mut self) -> Result<(), Refused> {
        self.0.settle()
    }

    fn reopen(&mut self) -> Result<(), Refused> {
        self.0.reopen()
    }

    fn fail(&mut self) {
        self.0.fail();
    }
}
