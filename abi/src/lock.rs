//! The word of a lock, which processes change themselves as long as nobody waits for it.
//!
//! | bits | meaning |
//! |---|---|
//! | 29..0 | who owns it: a thread's id ([`crate::thread`]); 0: nobody |
//! | 30 | what it protects was left by an owner that has died |
//! | 31 | somebody waits for it |
//!
//! A thread that finds 0 makes it its own id, and 0 again of that, each in one step. Anything else is
//! for [`crate::call::number::FUTEX_LOCK`] and [`crate::call::number::FUTEX_UNLOCK`]. A thread finds its
//! id in its third register when it starts.

/// Somebody waits: the kernel unlocks it.
pub const WAITERS: u32 = 1 << 31;
/// What the lock protects was left by an owner that has died. An owner that has put it in order
/// clears the bit, in one step.
pub const OWNER_DIED: u32 = 1 << 30;
/// Mask of the owner's thread id.
pub const OWNER_MASK: u32 = OWNER_DIED - 1;
