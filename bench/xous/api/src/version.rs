//! The version that the server tells: the published one.

/// When it was built.
pub const TIMESTAMP: &'static str = "Wed, 18 Jan 2023 19:19:24 +0800";
/// What was built.
pub const SEMVER: &'static str = "v0.9.11-152-g277d014f";
