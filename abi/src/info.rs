//! The `INFO` register: a message's length, what is special about it, and the token's tag.
//!
//! | bits | meaning |
//! |---|---|
//! | 4..0 | length in bytes of a message in registers (0 to 20), or what a server got with it |
//! | 7..5 | flags; their meaning depends on the direction |
//! | 15..8 | token: index of the waiting client's thread |
//! | 31..16 | token: high part of its generation |

/// Mask of the length.
pub const LENGTH_MASK: u32 = 0x1F;
/// Mask of the token's tag.
pub const TAG_MASK: u32 = 0xFFFF_FF00;
/// Shift of the thread index in the tag.
pub const THREAD_SHIFT: u32 = 8;
/// Shift of the generation's high part in the tag.
pub const HIGH_SHIFT: u32 = 16;

/// In: the call has a deadline in `x0` (low) and `x1` (high), nanoseconds of monotonic time.
/// Deadline 0 means: do not block; of a send, only for the answer of a server that waits, and of whom that hands the client to.
pub const DEADLINE: u32 = 1 << 5;
/// In: `x2` and `x3` name an array of [`crate::Part`]s and their count, not a buffer.
pub const VECTOR: u32 = 1 << 6;
/// In, reply calls: `x4` is the status; without it the status is 0.
pub const STATUS: u32 = 1 << 7;
/// In, `RECEIVE`: if the call does not fail at once, acknowledge the interrupt with the handle `WORD3`
/// ([`crate::call::number::INTERRUPT_ACK`]) before it waits.
pub const ACKNOWLEDGE: u32 = 1 << 4;
/// In, send calls: the client takes a handle that the reply may bring.
pub const ACCEPT_HANDLE: u32 = 1 << 7;
/// In, `RECEIVE`: take only the peer that `WORD0` selects (see [`select`]).
pub const SELECT: u32 = 1 << 7;

/// Out: the bytes were copied to the buffer: `WORD0` of them, out of `WORD1` that were offered.
pub const BYTES: u32 = 1 << 5;
/// Out, server: not a message but a notice; `WORD0` says which ([`crate::notice`]). Needs no reply.
pub const NOTICE: u32 = 1 << 6;
/// Out, client: the reply brought a handle, in `WORD4`.
pub const HANDLE: u32 = 1 << 6;
/// Out: the call failed; `CALL` holds the [`crate::Error`].
pub const ERROR: u32 = 1 << 7;

/// Out, server, in place of a length: memory is lent with the message, to be read until it is
/// answered: `WORD1` bytes at `WORD0`. The words `WORD2` to `WORD4` are the message's.
pub const LENT: u32 = 0x1D;
/// Out, server, in place of a length: as [`LENT`], to be read and written.
pub const LENT_MUT: u32 = 0x1E;
/// Out, server, in place of a length: the memory has come to stay, until
/// [`crate::call::number::RELEASE`] or a further [`crate::call::operation::MOVE`]. Out, client, with [`ERROR`]: the
/// server that has died had received what was moved.
pub const MOVED: u32 = 0x1F;

/// What a selective receive waits for.
pub mod select {
    /// The client connection with the badge in `WORD1`.
    pub const BADGE: u32 = 1;
    /// The client thread named by the token in `WORD1` (tag) and `WORD2` (generation), in the life in which it sent that.
    pub const TOKEN: u32 = 2;
}
