//! What the judge tells the others to do: a message of [`WORDS`] words, the order, an address or an
//! offset, and a value. The answer's first word says what came of it.
#![no_std]

/// Words of an order, more than registers hold; and of an answer.
pub const WORDS: usize = 8;
/// Bytes of both.
pub const BYTES: usize = WORDS * 4;

/// Answers with the word at this offset of the region; [`MISSING`] if it has none.
pub const LOAD: u32 = 0;
/// Writes the value at this offset; answers with 0, or [`REFUSED`] if it may only read.
pub const STORE: u32 = 1;
/// Reads the word at this address.
pub const PEEK: u32 = 2;
/// Writes the value at this address.
pub const POKE: u32 = 3;
/// Runs what is at this address.
pub const RUN: u32 = 4;
/// Has the kernel write the order to this address; answers with 0 or the kernel's error.
pub const KERNEL_WRITES: u32 = 5;
/// Has the kernel copy [`BYTES`] from this address behind the answer; answers with 0 or the kernel's
/// error.
pub const KERNEL_READS: u32 = 6;
/// Answers with where it sees the region.
pub const WHERE: u32 = 7;

/// It does not have the region.
pub const MISSING: u32 = 0xFFFF_0001;
/// It may only read the region.
pub const REFUSED: u32 = 0xFFFF_0002;
