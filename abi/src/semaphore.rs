//! The word of a semaphore, which processes change themselves as long as nobody waits for a unit.
//!
//! | bits | meaning |
//! |---|---|
//! | 30..0 | how many units there are |
//! | 31 | there are none, and perhaps somebody waits for one |
//!
//! A thread that finds units takes one; who finds none sets bit 31, and waits
//! ([`crate::call::number::FUTEX_WAIT`]) as long as the word is [`WAITERS`]: when it is woken, it has a
//! unit. A thread that finds no bit 31 adds its unit; who finds it calls
//! [`crate::call::number::FUTEX_GIVE`].

/// Perhaps somebody waits: the kernel gives.
pub const WAITERS: u32 = 0x8000_0000;
/// As many units as there can be.
pub const MAX_UNITS: u32 = 0x7FFF_FFFF;
