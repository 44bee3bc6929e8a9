//! User memory: ranges, the typed door, windows.

pub(crate) mod range;
pub(crate) mod reclaim;
pub(crate) mod window;
