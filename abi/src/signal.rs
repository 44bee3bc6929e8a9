//! Signals: the calls about them, which numbers there are, and what lies in the frame of a handler.
//!
//! A call about signals has the operation [`crate::call::operation::SIGNAL`], and its number ([`number`]) where others
//! have a handle. A set of signals is two words: bit *n* % 32 of word *n* / 32 is signal *n*.

/// Calls about signals: the lower 28 bits of the call word.
pub mod number {
    /// The signals of the caller's process go to its code at address `WORD0`. Further ones are masked while one is
    /// handled: those in `WORD1`, `WORD2`.
    pub const ACTION: u32 = 0;
    /// The signals of the calling thread are handled on the `WORD1` bytes of stack at `WORD0`; on its own one if
    /// they are 0.
    pub const STACK: u32 = 1;
    /// Sends signal `WORD1` to the process at position `WORD0` among those that the caller's process may send to, or
    /// to its own ([`super::OWN`]); there to the thread with the id `WORD3`, if that is not 0. A signal from
    /// [`super::FIRST_QUEUED`] on brings `WORD2`. Never blocks.
    pub const SEND: u32 = 2;
    /// Changes which signals are masked in the calling thread: by the set in `WORD1`, `WORD2`, as `WORD0` says
    /// ([`super::how`]). Returns which ones were in `WORD0`, `WORD1`; and which ones wait in `WORD2`, `WORD3`. Never
    /// blocks.
    pub const MASK: u32 = 3;
    /// Ends the handler with the frame at `WORD0`: the thread goes on where it was.
    pub const RETURN: u32 = 4;
    /// Waits, with the set in `WORD0`, `WORD1` masked, until a signal has been handled: it fails with
    /// [`crate::Error::Interrupted`].
    pub const SUSPEND: u32 = 5;
    /// Takes one of the signals in `WORD0`, `WORD1`, or waits for it, masked or not: its number in `WORD0`, and what it
    /// brings in `WORD1`. No handler is called.
    pub const WAIT: u32 = 6;
}

/// What becomes of a thread's mask.
pub mod how {
    /// It is the set.
    pub const SET: u32 = 0;
    /// The set is added.
    pub const BLOCK: u32 = 1;
    /// The set is taken away.
    pub const UNBLOCK: u32 = 2;
}

/// The largest signal; the smallest is 1.
pub const MAX: u32 = 63;
/// The smallest signal of those that are queued, each with a word; the others only wait or don't.
pub const FIRST_QUEUED: u32 = 32;
/// Most signals with a word that can wait in a process.
pub const MAX_QUEUED: usize = 32;
/// In place of a position: the caller's own process.
pub const OWN: u32 = 0xFFFF_FFFF;

/// Words at the beginning of a handler's frame; a port's own follow.
pub mod frame {
    /// The thread's mask of before, two words.
    pub const MASK: usize = 0;
    /// The frame of the handler that was interrupted, or 0.
    pub const PREVIOUS: usize = 2;
    /// The signal.
    pub const SIGNAL: usize = 3;
    /// How many there are.
    pub const WORDS: usize = 4;
}

/// The two words of a set.
#[must_use]
pub const fn words(set: u64) -> [u32; 2] {
    [set as u32, (set >> 32) as u32]
}

/// The set of two words.
#[must_use]
pub const fn set(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}
