//! Notices: what the kernel tells a server through its channel. They need no reply.
//!
//! `WORD0` holds the kind.

/// A client that used the connection with badge `CALL` has died.
pub const CLIENT_DIED: u32 = 1;
/// The client named by the token in `INFO` and `GENERATION` wants to be unblocked (its deadline
/// has passed): it stays REPLY-blocked until it is answered. `CALL` is its badge.
pub const UNBLOCK: u32 = 2;
/// Process `WORD1` has faulted; its record waits for [`crate::call::number::FAULT_RECORD`].
pub const FAULT: u32 = 3;
/// Bits were set by [`crate::call::number::NOTIFY`] or by an interrupt: `WORD1` holds all since the last such notice.
pub const BITS: u32 = 4;
/// A proxy was triggered, and this is one time of those. `WORD1` bytes of its message were copied to
/// the buffer, out of `WORD2`; `CALL` is what its owner, who receives this, calls it.
pub const PROXY: u32 = 5;
