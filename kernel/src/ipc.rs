//! Messages: send, receive, reply, and what is told without blocking.

#[cfg(debug_assertions)]
mod check;
mod guest;
pub(crate) mod lend;
pub(crate) mod notice;
pub(crate) mod notification;
pub(crate) mod proxy;
pub(crate) mod receive;
mod relay;
pub(crate) mod reply;
pub(crate) mod send;
pub(crate) mod transfer;
