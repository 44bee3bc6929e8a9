//! What is due at a time.

#[cfg(debug_assertions)]
mod check;
pub(crate) mod deadline;
pub(crate) mod timer;
