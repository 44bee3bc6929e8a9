//! How a client asks the console server for what is typed.
//!
//! A message is text that is to be printed, unless it is three words of which the first is [`REQUEST`]: what is
//! wanted, and how many bytes of a line the client takes. The answer is the bytes, or a word.

use crate::Status;

/// The first word of a request. Text does not begin so: UTF-8 has no byte 0xFF.
pub const REQUEST: u32 = u32::from_le_bytes(*b"\xFFask");
/// Bytes of a request.
pub const BYTES: usize = 12;

/// A line, or as much of it as the client takes. Of no bytes: whether there is one, or the end of the input; it stays.
pub const LINE: u32 = 0;
/// A byte, as it is typed.
pub const KEY: u32 = 1;
/// How many bytes were lost: a word.
pub const LOST: u32 = 2;
/// With what is wanted: if it is there already.
pub const TRY: u32 = 1 << 8;

/// Why the server gives nothing.
pub mod status {
    use super::Status;

    /// The server has no interrupt of its receiver.
    pub const NO_INPUT: Status = Status(1);
    /// It keeps as many readers waiting as it can.
    pub const TOO_MANY_READERS: Status = Status(2);
    /// Nothing is there, and the request would not wait.
    pub const NOTHING: Status = Status(3);
    /// The request asks for something else.
    pub const BAD_REQUEST: Status = Status(4);
}
