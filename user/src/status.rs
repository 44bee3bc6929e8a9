//! What a server says about its work.

/// The value with which a server answers a client: 0 is success, everything else the two agree
/// on. It never mixes with [`crate::Error`], which comes from the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Status(pub u32);

impl Status {
    /// The server did what was asked.
    pub const OK: Status = Status(0);

    /// Whether the server did what was asked.
    #[must_use]
    pub const fn is_ok(self) -> bool {
        self.0 == 0
    }
}

impl core::fmt::Display for Status {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "status {}", self.0)
    }
}
