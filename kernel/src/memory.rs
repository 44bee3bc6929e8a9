//! User memory: ranges, the typed door, windows.

#[cfg(debug_assertions)]
mod check;
pub(crate) mod range;
pub(crate) mod reclaim;
pub(crate) mod window;
