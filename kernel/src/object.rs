//! What processes own and name, and how it ends.

pub(crate) mod channel;
#[cfg(debug_assertions)]
mod check;
pub(crate) mod connect;
pub(crate) mod death;
pub(crate) mod handle;
pub(crate) mod hold;
pub(crate) mod process;
pub(crate) mod program;
pub(crate) mod record;
pub(crate) mod restart;
pub(crate) mod search;
mod stack;
pub(crate) mod vacancy;
