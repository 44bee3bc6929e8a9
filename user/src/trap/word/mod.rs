//! Atomic changes of a word of memory.

#[cfg(not(target_has_atomic = "32"))]
mod restartable;
#[cfg(not(target_has_atomic = "32"))]
pub(crate) use restartable::{add, and, compare_exchange, load, or, store, swap, take, unlink};

#[cfg(target_has_atomic = "32")]
mod native;
#[cfg(target_has_atomic = "32")]
pub(crate) use native::{add, and, compare_exchange, load, or, store, swap, take, unlink};
