//! What the tick-timer server and its clients agree on: of the published code, what both need.
#![no_std]
#![allow(
    clippy::redundant_static_lifetimes,
    reason = "the published code is kept as it is"
)]

pub mod version;

use riposte::serial::serde;

/// What can be asked of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, num_derive::FromPrimitive, num_derive::ToPrimitive)]
pub enum Opcode {
    /// Milliseconds since the start.
    ElapsedMs,
    /// The version of the system.
    GetVersion,
}

/// A version, in text.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
#[serde(crate = "riposte::serial::serde")]
pub struct VersionString {
    /// The text.
    pub version: xous::ipc::String<512>,
}
