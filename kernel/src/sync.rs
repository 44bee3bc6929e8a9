//! Threads that wait at a word of memory.

pub(crate) mod futex;
pub(crate) mod lock;
