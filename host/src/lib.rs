//! The host tool behind `./riposte`: manifests, images, boards, measurement.

pub mod board;
mod document;
pub mod manifest;
pub mod plan;
pub mod quantity;
pub mod source;
mod suggest;
