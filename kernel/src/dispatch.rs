//! One way in: an event goes in, the thread to run comes out.

pub(crate) mod call;
pub(crate) mod pending;
