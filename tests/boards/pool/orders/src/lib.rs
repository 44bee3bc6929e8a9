//! What the judge tells the others to do: three words, the order, and two that it needs. The answer's words say what came
//! of it, and a value.
#![no_std]

/// Makes a region, and keeps the handle.
pub const MAKE: u32 = 0;
/// Answers with a handle of the region that it has, with the rights of the first word ([`WRITE`], [`TRANSFER`], [`ONWARD`]).
pub const GIVE: u32 = 1;
/// Asks the judge for a region after it has answered, and keeps the handle.
pub const FETCH: u32 = 2;
/// Maps what it has a handle of; to be written if the first word is [`WRITE`]. The value is the address.
pub const MAP: u32 = 3;
/// Unmaps it.
pub const UNMAP: u32 = 4;
/// Closes the handle.
pub const CLOSE: u32 = 5;
/// Reads the word at this address: the value.
pub const PEEK: u32 = 6;
/// Writes the second word at this address.
pub const POKE: u32 = 7;
/// Its other thread reads the word at this address from now on, again and again.
pub const WATCH: u32 = 8;
/// How often that thread has done so: the value.
pub const WATCHED: u32 = 9;
/// Waits at the first word of what it has mapped, for as long as it holds this.
pub const WAIT: u32 = 10;
/// Has the kernel write bytes of the judge's message at this address.
pub const RECEIVE: u32 = 11;

/// A right to write.
pub const WRITE: u32 = 1;
/// A right to hand on.
pub const TRANSFER: u32 = 2;
/// The right of whoever gets it to hand it on, too.
pub const ONWARD: u32 = 4;

/// It has no handle, or nothing mapped, for that.
pub const MISSING: u32 = 0xFFFF_0001;
