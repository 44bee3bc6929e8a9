//! What client and server agree on.

/// What can be asked of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, num_derive::FromPrimitive, num_derive::ToPrimitive)]
pub enum Opcode {
    /// Milliseconds since the start.
    ElapsedMs,
    /// The version of the system.
    GetVersion,
}
