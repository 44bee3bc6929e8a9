//! How memory travels as a copy: behind a header that says what it would have been.
//!
//! The header is as long as keeps the bytes behind it aligned as the buffer is.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::WordsReply;

/// Bytes of a header.
pub const HEADER: usize = 32;

/// Marks a request; the kind is added. "LND\0"
const REQUEST: u32 = 0x0044_4E4C;
/// Marks the answer that brings the bytes back. "BCK\0"
const ANSWER: u32 = 0x004B_4342;
/// Where the kind is.
const KIND_SHIFT: u32 = 24;

/// How the memory was meant to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    Lent = 1,
    LentMut = 2,
    Moved = 3,
}

/// What stands before the bytes.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Header {
    mark: u32,
    /// Of a request: the bytes that follow. Of an answer: the bytes of its words.
    length: u32,
    words: [u32; 5],
    unused: u32,
}

const _: () = assert!(size_of::<Header>() == HEADER);

/// The header of a request with so many bytes.
pub fn request(kind: Kind, length: usize, [a, b, c]: [u32; 3]) -> Header {
    Header {
        mark: REQUEST | ((kind as u32) << KIND_SHIFT),
        length: length as u32,
        words: [a, b, c, 0, 0],
        unused: 0,
    }
}

/// What a message of these bytes would have been, and its words, if it is a copy, and whole.
pub fn decode(bytes: &[u8]) -> Option<(Kind, [u32; 3])> {
    let (header, bytes) = Header::read_from_prefix(bytes).ok()?;
    let whole = header.length as usize == bytes.len();
    let mut kinds = [Kind::Lent, Kind::LentMut, Kind::Moved].into_iter();
    let kind = kinds.find(|kind| header.mark == REQUEST | ((*kind as u32) << KIND_SHIFT))?;
    let [a, b, c, ..] = header.words;
    whole.then_some((kind, [a, b, c]))
}

/// Makes the buffer in which a request came its answer: `length` bytes of `words`, and the bytes.
pub fn answer(buffer: &mut [u8], length: usize, words: [u32; 5]) {
    let header = Header {
        mark: ANSWER,
        length: length as u32,
        words,
        unused: 0,
    };
    // It came in the buffer, so that one fits.
    let _ = header.write_to_prefix(buffer);
}

impl Header {
    /// What a reply that filled this header says, whose other fields are `reply`'s: the words of an
    /// answer that brought the bytes back, or the reply itself.
    pub fn reply(&self, reply: WordsReply) -> WordsReply {
        if self.mark != ANSWER || reply.len < HEADER {
            // Not what a server of lent memory answers with; the words are the first ones.
            let [a, b, c, ..] = self.words;
            let words = [self.mark, self.length, a, b, c];
            return WordsReply { words, ..reply };
        }
        let len = (self.length as usize).min(riposte_abi::MESSAGE_BYTES);
        WordsReply {
            words: self.words,
            len,
            offered: len,
            ..reply
        }
    }
}
