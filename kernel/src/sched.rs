//! Threads: who is ready, at which priority, and who runs next.

#[cfg(debug_assertions)]
mod check;
pub(crate) mod policy;
pub(crate) mod priority;
pub(crate) mod queue;
pub(crate) mod ready;
pub(crate) mod spawn;
mod state;
pub(crate) mod thread;
