//! What the test of the Xous personality sends.
#![no_std]

use riposte::serial::serde;

/// What can be asked of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, num_derive::FromPrimitive, num_derive::ToPrimitive)]
pub enum Opcode {
    /// Answered with one word: the sum of the arguments.
    One,
    /// Answered with two words: the sum of the first two arguments and of the others.
    Two,
    /// Answered with five words: all as they came, and each one more.
    Five,
    /// Not answered: the next number of a row.
    Note,
    /// Answered with how many numbers came, and whether they were a row.
    Noted,
    /// Answered when [`Opcode::Release`] comes.
    Keep,
    /// Not answered: whom [`Opcode::Keep`] has kept waiting for longest is, with the wait for the next message.
    Release,
    /// Memory to read: the sum of its bytes comes back as `valid`.
    Sum,
    /// Memory to write: each byte becomes one more; `offset` and `valid` are exchanged.
    Increment,
    /// Memory that is moved: its bytes are numbers for a row.
    Numbers,
    /// A value: a [`Request`] becomes a [`Response`].
    Value,
    /// Answered with five words by who keeps several threads waiting for [`Opcode::Release`]: whether each was answered,
    /// what was queued behind came in order, and the answers were right; then nothing.
    Several,
    /// Text, as the second form of the published optimised server makes it.
    GetVersion,
}

/// A value in a buffer.
#[derive(Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(crate = "riposte::serial::serde")]
pub struct Request {
    /// Some text.
    pub text: xous::ipc::String<64>,
    /// Some numbers.
    pub numbers: [u32; 4],
}

/// A value that comes back.
#[derive(Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(crate = "riposte::serial::serde")]
pub enum Response {
    /// The text, and the sum of the numbers.
    Text(xous::ipc::String<64>, u32),
    /// It was empty.
    Nothing,
}
