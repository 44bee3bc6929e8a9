//! What every server of pipes does: requests and answers, who the clients are and what each may have, and who waits.
#![no_std]
#![forbid(unsafe_code)]

mod clients;
mod server;
mod settings;
mod waiting;

pub use server::Server;

/// Bytes of a write that are received with it. Those of a longer one are read from where they lie, once there is room.
pub const SHORT: usize = 512;
