//! What is due at a time.

pub(crate) mod deadline;
pub(crate) mod timer;
