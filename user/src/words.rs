//! Messages short enough for the message registers.

use riposte_abi::{MESSAGE_BYTES, MESSAGE_WORDS};
use zerocopy::IntoBytes;

/// So many words as travel in registers: none to five.
#[diagnostic::on_unimplemented(
    message = "a message holds at most five words in registers",
    note = "send more as bytes"
)]
pub trait MessageWords: sealed::Sealed {}

mod sealed {
    /// What no other crate can implement.
    pub trait Sealed {}
}

macro_rules! message_words {
    ($($count:literal)*) => {$(
        impl MessageWords for [u32; $count] {}
        impl sealed::Sealed for [u32; $count] {}
    )*};
}

message_words!(0 1 2 3 4 5);

/// `N` words, then zeros: what is not sent must not be visible to the peer.
#[inline(always)]
pub(crate) const fn pad<const N: usize>(words: [u32; N]) -> [u32; MESSAGE_WORDS] {
    const { assert!(N <= MESSAGE_WORDS, "at most five words travel in registers") };
    let mut padded = [0; MESSAGE_WORDS];
    let mut position = 0;
    while position < N {
        padded[position] = words[position];
        position += 1;
    }
    padded
}

/// The words that hold `bytes`, if those are few enough.
#[inline(always)]
pub(crate) fn pack(bytes: &[u8]) -> Option<[u32; MESSAGE_WORDS]> {
    let mut words = [0; MESSAGE_WORDS];
    words
        .as_mut_bytes()
        .get_mut(..bytes.len())?
        .copy_from_slice(bytes);
    Some(words)
}

/// The words that hold as much of `bytes` as they can.
pub(crate) fn prefix(bytes: &[u8]) -> [u32; MESSAGE_WORDS] {
    pack(bytes.get(..MESSAGE_BYTES).unwrap_or(bytes)).unwrap_or_default()
}

/// Copies as much of the first `length` bytes of `words` as `buffer` takes; returns how many.
#[inline(always)]
pub(crate) fn unpack(words: &[u32; MESSAGE_WORDS], length: usize, buffer: &mut [u8]) -> usize {
    let length = length.min(MESSAGE_BYTES);
    // A message that fills the buffer is the usual one. Where the compiler knows how long that is, the
    // copy is a few instructions, and otherwise the same as below.
    if length >= buffer.len()
        && let Some(from) = words.as_bytes().get(..buffer.len())
    {
        buffer.copy_from_slice(from);
        return buffer.len();
    }
    let taken = length.min(buffer.len());
    if let (Some(to), Some(from)) = (buffer.get_mut(..taken), words.as_bytes().get(..taken)) {
        to.copy_from_slice(from);
    }
    taken
}

/// How a call names memory in its words: address and length.
#[inline(always)]
pub(crate) fn range(range: crate::trap::Range) -> [u32; MESSAGE_WORDS] {
    [range.address, range.length, 0, 0, 0]
}

/// The five message words of a call's registers.
#[inline(always)]
pub(crate) fn of(registers: &crate::trap::Registers) -> [u32; MESSAGE_WORDS] {
    // (By their names: where code is to be small, the compiler would look whether each place of an array is within.)
    use riposte_abi::register::{WORD0, WORD1, WORD2, WORD3, WORD4};
    [
        registers[WORD0],
        registers[WORD1],
        registers[WORD2],
        registers[WORD3],
        registers[WORD4],
    ]
}
