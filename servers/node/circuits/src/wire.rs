//! The layout of frames. `docs/src/nodes.md` has it byte by byte; all numbers are little-endian.

use core::array;
use core::ops::{Deref, DerefMut};

use crate::LONGEST;

/// The version of the protocol.
pub const VERSION: u8 = 1;
/// Most bytes of a frame: a datagram that an Ethernet takes whole.
pub const FRAME: usize = 1472;
/// Bytes in the clear that a sealed frame begins with.
pub const HEAD: usize = 16;
/// Bytes of a sealed frame's inner header.
pub const BODY: usize = 24;
/// Bytes of a frame's seal.
pub const TAG: usize = 16;
/// Bytes of a challenge.
pub const CHALLENGE: usize = 16;
/// Bytes of a handshake's frame.
pub const HANDSHAKE: usize = 4 + 2 * CHALLENGE + TAG;
/// Bytes of a message that one frame carries.
pub const PART: usize = 1408;

const _: () = assert!(HEAD + BODY + PART + TAG <= FRAME);

/// A frame, or room for one, with [`Buffer::BEFORE`] bytes of room before it. It begins where a word does.
pub struct Buffer([u32; WHOLE / 4]);

/// Bytes of it.
const WHOLE: usize = Buffer::BEFORE + FRAME;

impl Buffer {
    /// Bytes before the frame, for whoever carries it.
    pub const BEFORE: usize = 28;

    /// Zeros.
    #[must_use]
    pub const fn new() -> Buffer {
        Buffer([0; WHOLE / 4])
    }

    /// Copies a frame there: its bytes. Of one that is longer not all are there.
    pub fn copy(&mut self, frame: &[u8]) -> usize {
        self.iter_mut().zip(frame).for_each(|(to, it)| *to = *it);
        frame.len()
    }

    /// What is before the frame, and the frame.
    pub fn whole_mut(&mut self) -> &mut [u8; WHOLE] {
        zerocopy::transmute_mut!(&mut self.0)
    }

    /// The frame's words, whose bytes are in the order of this machine.
    pub(crate) fn words_mut(&mut self) -> &mut [u32] {
        let (_, words) = self.0.split_at_mut(Buffer::BEFORE / 4);
        words
    }
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer::new()
    }
}

impl Deref for Buffer {
    type Target = [u8; FRAME];

    fn deref(&self) -> &[u8; FRAME] {
        let whole: &[u8; WHOLE] = zerocopy::transmute_ref!(&self.0);
        whole.last_chunk().unwrap_or(&[0; FRAME])
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8; FRAME] {
        match self.whole_mut().last_chunk_mut() {
            Some(frame) => frame,
            None => unreachable!("it is shorter"),
        }
    }
}

/// What a frame is: its second byte.
pub mod kind {
    /// Asks for a session.
    pub const HELLO: u8 = 1;
    /// Answers that.
    pub const WELCOME: u8 = 2;
    /// Begins the session.
    pub const CONFIRM: u8 = 3;
    /// What belongs to a session.
    pub const SEALED: u8 = 4;
    /// Says which version a node speaks, to one that speaks another.
    pub const OTHER_VERSION: u8 = 5;
}

/// What a sealed frame says: the first byte of its inner header.
pub mod what {
    /// A part of a request.
    pub const REQUEST: u8 = 1;
    /// A part of a reply.
    pub const REPLY: u8 = 2;
    /// Which parts of a request have come.
    pub const ACKNOWLEDGE: u8 = 3;
    /// A request is not wanted any more.
    pub const CANCEL: u8 = 4;
    /// A request was not begun.
    pub const REFUSE: u8 = 5;
    /// What of a request has come, and whether there is a reply.
    pub const ASK: u8 = 6;
    /// Gives a circuit the name that follows.
    pub const OPEN: u8 = 7;
    /// What came of that.
    pub const OPENED: u8 = 8;
    /// Which parts of a reply have come.
    pub const TAKEN: u8 = 9;
    /// Triggers proxies: the batch that follows.
    pub const TRIGGER: u8 = 10;
    /// The batch has come.
    pub const TRIGGERED: u8 = 11;
}

/// In the mask of a reply: it brings a proxy, whose number is in place of the status.
pub const BRINGS: u16 = 1;

/// The four bytes that every frame begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// See [`VERSION`].
    pub version: u8,
    /// See [`kind`].
    pub kind: u8,
    /// The sender's number.
    pub from: u8,
    /// The receiver's number.
    pub to: u8,
}

impl Start {
    /// As bytes.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 4] {
        [self.version, self.kind, self.from, self.to]
    }

    /// What a frame begins with.
    #[must_use]
    pub fn of(frame: &[u8]) -> Option<Start> {
        let [version, kind, from, to] = *frame.first_chunk()?;
        Some(Start {
            version,
            kind,
            from,
            to,
        })
    }
}

/// A sealed frame's inner header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// See [`what`].
    pub what: u8,
    /// The place of the request at its client's node.
    pub slot: u8,
    /// The circuit.
    pub circuit: u8,
    /// Which part.
    pub part: u8,
    /// Of how many.
    pub parts: u8,
    /// The client's priority in a request, the outcome elsewhere.
    pub level: u8,
    /// Which parts have come, a bit for each; in a reply [`BRINGS`] or 0; in the answer to a batch which proxies are no more.
    pub mask: u16,
    /// How often the place has been used: with it, the number of the request. The number of a batch.
    pub count: u32,
    /// Bytes of the whole message.
    pub length: u32,
    /// Microseconds: those left in a request, elsewhere those for which this answer was held back.
    pub time: u32,
    /// Most parts of a reply in a request, in a reply the server's status, or the number of a proxy.
    pub value: u32,
}

impl Body {
    /// As bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; BODY] {
        let words = [
            u32::from_le_bytes([self.what, self.slot, self.circuit, self.part]),
            u32::from_le_bytes([self.parts, self.level, 0, 0]) | u32::from(self.mask) << 16,
            self.count,
            self.length,
            self.time,
            self.value,
        ];
        // By words: a frame's begin where those of memory do.
        array::from_fn(|it| (words[it / 4] >> (it % 4 * 8)) as u8)
    }

    /// The header that these bytes begin with, and what is behind it.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<(Body, &[u8])> {
        let (head, rest) = bytes.split_first_chunk::<BODY>()?;
        let (&[what, slot, circuit, part, parts, level, low, high], words) =
            head.split_first_chunk::<8>()?;
        let mut words = words
            .as_chunks::<4>()
            .0
            .iter()
            .map(|word| u32::from_le_bytes(*word));
        let body = Body {
            what,
            slot,
            circuit,
            part,
            parts,
            level,
            mask: u16::from_le_bytes([low, high]),
            count: words.next()?,
            length: words.next()?,
            time: words.next()?,
            value: words.next()?,
        };
        Some((body, rest))
    }

    /// Bytes of the whole message of a request or a reply, which part of it `bytes` are, and of how many; none if that cannot be.
    #[must_use]
    pub fn piece(&self, bytes: &[u8]) -> Option<(usize, usize, usize)> {
        let (length, part, parts) = (self.length as usize, self.part.into(), self.parts.into());
        let fits = length <= LONGEST
            && parts == parts_of(length)
            && part < parts
            && bytes.len() == part_length(length, part);
        fits.then_some((length, part, parts))
    }
}

/// How many parts a message of so many bytes has: one if it has none.
#[must_use]
pub const fn parts_of(length: usize) -> usize {
    if length == 0 {
        1
    } else {
        length.div_ceil(PART)
    }
}

/// Bytes of this part of a message of so many.
#[must_use]
pub const fn part_length(length: usize, part: usize) -> usize {
    let rest = length.saturating_sub(part * PART);
    if rest < PART { rest } else { PART }
}

/// The bits of so many parts.
#[must_use]
pub const fn all_parts(parts: usize) -> u16 {
    if parts >= 16 {
        u16::MAX
    } else {
        (1 << parts) - 1
    }
}
