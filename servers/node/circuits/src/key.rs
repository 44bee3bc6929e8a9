//! Keys: what two nodes share, what a session has, and the seals made with them.

use chacha20::R20;
use chacha20::hchacha;

use crate::seal::Seal;
use crate::wire::{Buffer, CHALLENGE, TAG};

/// Bytes of a key.
pub const KEY: usize = 32;

/// What two nodes share, and nobody else has.
#[derive(Clone)]
pub struct PairKey(pub [u8; KEY]);

/// What a node draws for a handshake: its life, and a count within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// Another one for each life of the node.
    pub life: u64,
    /// Another one for each session of that life.
    pub count: u64,
}

impl Challenge {
    /// No challenge of any node.
    pub const NONE: Challenge = Challenge { life: 0, count: 0 };

    /// As bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; CHALLENGE] {
        let mut bytes = [0; CHALLENGE];
        let all = [self.life, self.count]
            .into_iter()
            .flat_map(u64::to_le_bytes);
        bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        bytes
    }

    /// The challenge that these bytes are.
    #[must_use]
    pub fn of(bytes: &[u8; CHALLENGE]) -> Challenge {
        let mut words = bytes
            .as_chunks::<8>()
            .0
            .iter()
            .map(|it| u64::from_le_bytes(*it));
        Challenge {
            life: words.next().unwrap_or(0),
            count: words.next().unwrap_or(0),
        }
    }
}

/// A block of what a key is drawn from, or a handshake is proved by: what for, and the two nodes.
fn label(what: u8, one: u8, other: u8) -> [u8; 16] {
    let mut block = *b"riposte node \0\0\0";
    let [.., a, b, c] = &mut block;
    [*a, *b, *c] = [what, one, other];
    block
}

/// Draws 32 bytes from a key and blocks of 16: `HChaCha20` block by block, the result of each being the key of the next. The
/// number of blocks is the same for each label, so that no input is the beginning of another.
fn draw<const N: usize>(key: &[u8; KEY], blocks: [[u8; 16]; N]) -> [u8; KEY] {
    blocks.iter().fold(*key, |key, block| {
        hchacha::<R20>(&key.into(), block.into()).into()
    })
}

impl PairKey {
    /// What proves that a handshake's frame comes from who has this key.
    #[must_use]
    pub fn proof(&self, kind: u8, from: u8, to: u8, own: Challenge, other: Challenge) -> [u8; TAG] {
        let blocks = [label(kind, from, to), own.to_bytes(), other.to_bytes()];
        let mut proof = [0; TAG];
        let drawn = draw(&self.0, blocks);
        proof
            .iter_mut()
            .zip(drawn)
            .for_each(|(to, from)| *to = from);
        proof
    }
}

/// Whether two proofs are the same; takes as long wherever they differ.
#[must_use]
pub fn is_same(one: &[u8; TAG], other: &[u8; TAG]) -> bool {
    one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// The keys of a session as one of its nodes has them.
pub struct Keys {
    /// What its frames say in place of its challenges.
    pub name: u32,
    sends: Seal,
    receives: Seal,
}

impl Keys {
    /// Of the session with these challenges, for the node `own`.
    #[must_use]
    pub fn new(pair: &PairKey, own: (u8, Challenge), other: (u8, Challenge)) -> Keys {
        let (low, high) = if own.0 < other.0 {
            (own, other)
        } else {
            (other, own)
        };
        let blocks = [
            label(0x80, low.0, high.0),
            low.1.to_bytes(),
            high.1.to_bytes(),
        ];
        let root = draw(&pair.0, blocks);
        let way = |from: u8, to: u8| Seal::new(draw(&root, [label(0x81, from, to)]));
        let [a, b, c, d, ..] = draw(&root, [label(0x82, 0, 0)]);
        Keys {
            name: u32::from_le_bytes([a, b, c, d]),
            sends: way(own.0, other.0),
            receives: way(other.0, own.0),
        }
    }

    /// Seals a frame up to its end: the seal. See [`Seal::seal`].
    #[must_use]
    pub fn seal(&self, number: u64, frame: &mut Buffer, end: usize) -> [u8; TAG] {
        self.sends.seal(number, frame, end)
    }

    /// Opens a frame up to its end, if it was sealed so. See [`Seal::open`].
    #[must_use]
    pub fn open(&self, number: u64, frame: &mut Buffer, end: usize) -> bool {
        self.receives.open(number, frame, end)
    }
}

/// Which numbers of a session's frames have come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replay {
    /// One more than the highest.
    next: u64,
    /// The 64 below that, the highest one lowest.
    seen: u64,
}

impl Replay {
    /// Whether this number has not come yet, as far as is known.
    #[must_use]
    pub fn is_new(&self, number: u64) -> bool {
        match self.next.checked_sub(number) {
            None | Some(0) => number < u64::MAX,
            Some(back) => back <= 64 && self.seen >> (back - 1) & 1 == 0,
        }
    }

    /// It has come.
    pub fn note(&mut self, number: u64) {
        match self.next.checked_sub(number) {
            None | Some(0) => {
                let ahead = number - self.next + 1;
                self.seen = if ahead < 64 { self.seen << ahead } else { 0 } | 1;
                self.next = number + 1;
            }
            Some(back) if back <= 64 => self.seen |= 1 << (back - 1),
            Some(_) => {}
        }
    }
}
