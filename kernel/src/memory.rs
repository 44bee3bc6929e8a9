//! User memory: ranges, the typed door, windows.

#[cfg(debug_assertions)]
mod check;
pub(crate) mod door;
pub(crate) mod pool;
#[cfg(debug_assertions)]
mod pool_check;
pub(crate) mod range;
pub(crate) mod reclaim;
pub(crate) mod region;
pub(crate) mod window;
pub(crate) mod word;
