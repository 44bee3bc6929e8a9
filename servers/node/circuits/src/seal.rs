//! Seals: ChaCha20-Poly1305 (RFC 8439, 2.8), of the crates of both. (The crate of the two together has each block of the cipher go
//! through a buffer of its own, byte by byte.)

use chacha20::cipher::{BlockSizeUser, StreamCipherCore, array::Array};
use chacha20::variants::Ietf;
use chacha20::{ChaChaCore, KeyIvInit, R20};
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};
use zeroize::Zeroizing;

use crate::key::KEY;
use crate::wire::{HEAD, TAG};

type Stream = ChaChaCore<R20, Ietf>;
type Block = Array<u8, <Stream as BlockSizeUser>::BlockSize>;

/// Bytes that are sealed without a look at how many there are.
const EIGHT: usize = 8;

/// The key of one way.
pub struct Seal(Zeroizing<[u8; KEY]>);

impl Seal {
    pub fn new(key: [u8; KEY]) -> Seal {
        Seal(Zeroizing::new(key))
    }

    /// Seals these bytes in place: the seal, which is of the head, too.
    pub fn seal(&self, number: u64, head: &[u8; HEAD], bytes: &mut [u8]) -> [u8; TAG] {
        let (mut stream, sum) = self.begin(number);
        apply(&mut stream, bytes);
        add(sum, head, bytes).finalize().into()
    }

    /// Opens these bytes in place, if they were sealed so. They are as they were, if not.
    pub fn open(&self, number: u64, head: &[u8; HEAD], bytes: &mut [u8], seal: &[u8; TAG]) -> bool {
        let (mut stream, sum) = self.begin(number);
        // It takes as long wherever they differ.
        let is_sealed = add(sum, head, bytes).verify(seal.into()).is_ok();
        if is_sealed {
            apply(&mut stream, bytes);
        }
        is_sealed
    }

    /// The stream for the bytes, and what is summed with the key that stands before it.
    fn begin(&self, number: u64) -> (Stream, Poly1305) {
        let [a, b, c, d, e, f, g, h] = number.to_le_bytes();
        let nonce = [a, b, c, d, e, f, g, h, 0, 0, 0, 0];
        let mut stream = Stream::new((&*self.0).into(), &nonce.into());
        let mut block = Block::default();
        stream.write_keystream_block(&mut block);
        let key = Zeroizing::new(core::array::from_fn::<u8, KEY, _>(|it| block[it]));
        (stream, Poly1305::new((&*key).into()))
    }
}

fn apply(stream: &mut Stream, bytes: &mut [u8]) {
    let mut block = Block::default();
    // A frame has fewer blocks than their number has room for.
    for part in bytes.chunks_mut(block.len()) {
        stream.write_keystream_block(&mut block);
        let (eights, rest) = part.as_chunks_mut::<EIGHT>();
        let (all, _) = block.as_chunks::<EIGHT>();
        let (first, last) = all.split_at(eights.len());
        for (to, it) in eights.iter_mut().zip(first) {
            to.iter_mut().zip(it).for_each(|(to, it)| *to ^= it);
        }
        let last = last.as_flattened();
        rest.iter_mut().zip(last).for_each(|(to, it)| *to ^= it);
    }
}

/// Sums the head and these bytes.
fn add(mut sum: Poly1305, head: &[u8; HEAD], bytes: &[u8]) -> Poly1305 {
    sum.update_padded(head);
    sum.update_padded(bytes);
    let [a, b, c, d, e, f, g, h] = (HEAD as u64).to_le_bytes();
    let [i, j, k, l, m, n, o, p] = (bytes.len() as u64).to_le_bytes();
    sum.update(&[[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p].into()]);
    sum
}

#[cfg(test)]
mod tests {
    use chacha20poly1305::aead::AeadInOut;
    use chacha20poly1305::{ChaCha20Poly1305, KeyInit};

    use super::*;

    #[test]
    fn a_seal_is_that_of_rfc_8439_at_every_length_and_opens_nothing_that_was_changed() {
        let key = core::array::from_fn(|it| it as u8 * 5);
        let head = core::array::from_fn(|it| it as u8);
        let (seal, cipher) = (Seal::new(key), ChaCha20Poly1305::new(&key.into()));
        for length in (0..200).chain(1400..=1432) {
            let number = length as u64 * 0x0101_0101_0101;
            let mut bytes = [0; 1432];
            let bytes = &mut bytes[..length];
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = (at * 7) as u8;
            }
            let mut nonce = [0; 12];
            nonce[..8].copy_from_slice(&number.to_le_bytes());
            let mut expected = [0; 1432];
            let expected = &mut expected[..length];
            expected.copy_from_slice(bytes);
            let expected_tag =
                cipher.encrypt_inout_detached(&nonce.into(), &head, (&mut *expected).into());
            let plain = std::vec::Vec::from(&*bytes);
            let tag = seal.seal(number, &head, bytes);
            assert_eq!(tag, *expected_tag.expect("short"), "{length}");
            assert_eq!(bytes, expected, "{length}");
            for bit in 0..TAG * 8 {
                let mut tag = tag;
                tag[bit / 8] ^= 1 << (bit % 8);
                assert!(!seal.open(number, &head, bytes, &tag));
            }
            assert!(!seal.open(number + 1, &head, bytes, &tag));
            assert!(!seal.open(number, &[9; HEAD], bytes, &tag));
            if let Some(byte) = bytes.first_mut() {
                *byte ^= 1;
                assert!(!seal.open(number, &head, bytes, &tag));
                bytes[0] ^= 1;
            }
            assert_eq!(bytes, expected, "as it was");
            assert!(seal.open(number, &head, bytes, &tag));
            assert_eq!(bytes, plain);
        }
    }
}
