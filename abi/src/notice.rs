//! Notices: what the kernel tells a server through its channel. They need no reply.
//!
//! `WORD0` holds the kind.

/// A client that used the connection with badge `CALL` has died. At a channel with `client_names`, where there are
/// programs: a process that has that connection by the manifest, whether it has used it or not, and `WORD1` says how often it
/// has ended by now, if it is a program.
pub const CLIENT_DIED: u32 = 1;
/// The client named by the token in `INFO` and `GENERATION` wants to be unblocked: it stays
/// REPLY-blocked until it is answered. `WORD1` says why; `CALL` is its badge.
pub const UNBLOCK: u32 = 2;
/// Process `WORD1` has faulted; its record waits for [`crate::call::number::FAULT_RECORD`].
pub const FAULT: u32 = 3;
/// Bits were set by [`crate::call::number::NOTIFY`] or by an interrupt: `WORD1` holds all since the last such notice.
pub const BITS: u32 = 4;
/// A proxy was triggered, and this is one time of those. `WORD1` bytes of its message were copied to
/// the buffer, out of `WORD2`; `CALL` is what its owner, who receives this, calls it.
pub const PROXY: u32 = 5;

/// Why a client wants to be unblocked.
pub mod unblock {
    /// Its deadline has passed.
    pub const LATE: u32 = 0;
    /// It has no deadline, or that has not passed: a signal waits for it, which it handles when it is answered.
    pub const SIGNAL: u32 = 1;
}
