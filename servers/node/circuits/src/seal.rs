//! Seals: ChaCha20-Poly1305 (RFC 8439, 2.8), of the crates of both. (The crate of the two together has each block of the cipher go
//! through a buffer of its own, byte by byte.)
//!
//! All goes by words: a frame begins where one does ([`Buffer`]), and so do its parts. What is summed stands in it in one piece, with
//! the padding and the lengths in the place of the seal and behind it.

use core::array;

use chacha20::cipher::StreamCipherCore;
use chacha20::cipher::array::Array;
use chacha20::variants::Ietf;
use chacha20::{ChaChaCore, KeyIvInit, R20};
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};
use zeroize::Zeroizing;

use crate::key::{KEY, is_same};
use crate::wire::{Buffer, FRAME, HEAD, TAG};

/// Words of a block of the cipher.
const WORDS: usize = 16;
/// Bytes of a block of the sum.
const BLOCK: usize = 16;

// The cipher begins, and the lengths are summed, where a word does; and there is room for them wherever there is room for a seal.
const _: () = assert!(HEAD.is_multiple_of(BLOCK) && FRAME.is_multiple_of(BLOCK) && TAG == BLOCK);

/// The key of one way.
#[repr(align(4))]
pub struct Seal(Zeroizing<[u8; KEY]>);

impl Seal {
    pub fn new(key: [u8; KEY]) -> Seal {
        Seal(Zeroizing::new(key))
    }

    /// Seals what is between the head of a frame and its `end`, in place; the seal, for which there is to be room behind it.
    pub fn seal(&self, number: u64, frame: &mut Buffer, end: usize) -> [u8; TAG] {
        let mut stream = Stream::new(&self.0, number);
        let sum = stream.sum();
        stream.apply(frame, end);
        summed(sum, frame, end)
    }

    /// Opens what is between the head of a frame and its `end`, in place, if it was sealed so with the seal behind it. It is as it was,
    /// if not; the seal is no more.
    pub fn open(&self, number: u64, frame: &mut Buffer, end: usize) -> bool {
        let Some(seal) = frame.get(end..).and_then(|it| it.first_chunk()).copied() else {
            return false;
        };
        let mut stream = Stream::new(&self.0, number);
        let is_sealed = is_same(&summed(stream.sum(), frame, end), &seal);
        if is_sealed {
            stream.apply(frame, end);
        }
        is_sealed
    }
}

/// The cipher's stream, block by block.
struct Stream {
    cipher: ChaChaCore<R20, Ietf>,
    block: Zeroizing<[u32; WORDS]>,
}

impl Stream {
    fn new(key: &[u8; KEY], number: u64) -> Stream {
        let [a, b, c, d, e, f, g, h] = number.to_le_bytes();
        let nonce = [a, b, c, d, e, f, g, h, 0, 0, 0, 0];
        Stream {
            cipher: ChaChaCore::new(key.into(), &nonce.into()),
            block: Zeroizing::new([0; WORDS]),
        }
    }

    #[inline(never)]
    fn next(&mut self) {
        let mut block = Array::default();
        self.cipher.write_keystream_block(&mut block);
        let (bytes, _) = block.as_chunks();
        *self.block = array::from_fn(|it| u32::from_le_bytes(bytes[it]));
    }

    /// The sum whose key is the first block.
    fn sum(&mut self) -> Poly1305 {
        self.next();
        let key = array::from_fn::<u8, KEY, _>(|it| (self.block[it / 4] >> (it % 4 * 8)) as u8);
        Poly1305::new(&key.into())
    }

    /// Applies the others from the head to the end, and to what is left of the last word there.
    #[inline(never)]
    fn apply(&mut self, frame: &mut Buffer, end: usize) {
        let words = frame.words_mut().get_mut(HEAD / 4..end.div_ceil(4));
        // A frame has fewer blocks than their number has room for.
        for words in words.unwrap_or_default().chunks_mut(WORDS) {
            self.next();
            for (to, word) in words.iter_mut().zip(&*self.block) {
                *to ^= word.to_le();
            }
        }
    }
}

/// The sum of the head and of what is behind it up to the end.
#[inline(never)]
fn summed(mut sum: Poly1305, frame: &mut Buffer, end: usize) -> [u8; TAG] {
    let whole = end.next_multiple_of(BLOCK);
    if let Some(padding) = frame.get_mut(end..).and_then(|it| it.first_chunk_mut()) {
        *padding = [0; BLOCK];
    }
    if let Some(lengths) = frame.get_mut(whole..).and_then(|it| it.first_chunk_mut()) {
        let [a, b, c, d, e, f, g, h] = (HEAD as u64).to_le_bytes();
        let [i, j, k, l, m, n, o, p] = (end.saturating_sub(HEAD) as u64).to_le_bytes();
        *lengths = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p];
    }
    let summed = frame.get(..whole + BLOCK).unwrap_or_default();
    sum.update(Array::slice_as_chunks(summed).0);
    sum.finalize().into()
}

#[cfg(test)]
mod tests {
    use chacha20poly1305::aead::AeadInOut;
    use chacha20poly1305::{ChaCha20Poly1305, KeyInit};

    use super::*;

    #[test]
    fn a_seal_is_that_of_rfc_8439_at_every_length_and_opens_nothing_that_was_changed() {
        let key = core::array::from_fn(|it| it as u8 * 5);
        let head: [u8; HEAD] = core::array::from_fn(|it| it as u8);
        let (seal, cipher) = (Seal::new(key), ChaCha20Poly1305::new(&key.into()));
        for length in (0..200).chain(1400..=FRAME - HEAD - TAG) {
            let number = length as u64 * 0x0101_0101_0101;
            let end = HEAD + length;
            // Whatever is behind it.
            let mut frame = Buffer::new();
            frame.fill(length as u8);
            frame[..HEAD].copy_from_slice(&head);
            for (at, byte) in frame[HEAD..end].iter_mut().enumerate() {
                *byte = (at * 7) as u8;
            }
            let plain = std::vec::Vec::from(&frame[..end]);
            let mut nonce = [0; 12];
            nonce[..8].copy_from_slice(&number.to_le_bytes());
            let mut expected = plain.clone();
            let expected_tag =
                cipher.encrypt_inout_detached(&nonce.into(), &head, (&mut expected[HEAD..]).into());
            let tag = seal.seal(number, &mut frame, end);
            assert_eq!(tag, *expected_tag.expect("short"), "{length}");
            assert_eq!(frame[..end], expected, "{length}");
            let opens = |number, frame: &mut Buffer, tag: [u8; TAG]| {
                frame[end..end + TAG].copy_from_slice(&tag);
                seal.open(number, frame, end)
            };
            for bit in 0..TAG * 8 {
                let mut tag = tag;
                tag[bit / 8] ^= 1 << (bit % 8);
                assert!(!opens(number, &mut frame, tag));
            }
            assert!(!opens(number + 1, &mut frame, tag));
            for at in [0, HEAD - 1, HEAD, end - 1] {
                if at < end {
                    frame[at] ^= 1;
                    assert!(!opens(number, &mut frame, tag));
                    frame[at] ^= 1;
                }
            }
            assert_eq!(frame[..end], expected, "as it was");
            assert!(opens(number, &mut frame, tag));
            assert_eq!(frame[..end], plain);
        }
    }
}
