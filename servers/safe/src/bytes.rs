//! How bytes go between the card and clients.

use core::cell::RefCell;
use core::ops::Range;

use block_disk::BLOCK;
use files_server::{Bytes, status_of};
use files_store::{Memory, Refused};
use riposte::Token;
use riposte_block::Card;
use riposte_files::protocol::LARGEST;
use safe_volume::Words;

/// The card's words, and where bytes are on their way.
pub struct OnCard<'a> {
    words: Words<'a, Card>,
    bytes: RefCell<&'a mut [u8; LARGEST]>,
}

impl<'a> OnCard<'a> {
    pub fn new(words: Words<'a, Card>, bytes: &'a mut [u8; LARGEST]) -> OnCard<'a> {
        OnCard {
            words,
            bytes: RefCell::new(bytes),
        }
    }
}

impl Memory for OnCard<'_> {
    const BLOCK: usize = BLOCK;

    fn words(&self) -> usize {
        self.words.words()
    }

    #[inline(always)]
    fn load(&self, position: usize) -> u32 {
        self.words.load(position)
    }

    fn store(&mut self, position: usize, value: u32) {
        self.words.store(position, value);
    }

    fn clear(&mut self, bytes: Range<usize>) {
        self.words.clear(bytes);
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
        self.words.read(position, to);
    }

    fn write(&mut self, position: usize, from: &[u8]) {
        self.words.write(position, from);
    }

    /// By way of this process: the card is the block server's.
    fn answer(&self, client: Token, pieces: &[(usize, usize)]) {
        let mut bytes = self.bytes.borrow_mut();
        let mut filled = 0;
        for (start, length) in pieces {
            let end = filled + length;
            if let Some(to) = bytes.get_mut(filled..end) {
                self.words.read(*start, to);
            }
            filled = end;
        }
        // One that has left reads nothing.
        let _ = if self.words.has_failed() {
            client.reply_error(status_of(Refused::Damaged))
        } else {
            let bytes = bytes.get(..filled).unwrap_or_default();
            client.reply(bytes).map(drop)
        };
    }

    fn take(&mut self, client: &Token, offset: usize, bytes: Range<usize>) -> bool {
        let Some(room) = self.bytes.get_mut().get_mut(..bytes.len()) else {
            return false;
        };
        if client.read(offset as u32, room) != Ok(bytes.len()) {
            return false;
        }
        self.words.write(bytes.start, room);
        true
    }

    fn settle(&mut self) -> Result<(), Refused> {
        self.words.settle()
    }

    fn reopen(&mut self) -> Result<(), Refused> {
        self.words.reopen()
    }

    fn fail(&mut self) {
        self.words.fail();
    }
}
