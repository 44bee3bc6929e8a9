//! The host tool behind `./riposte`: manifests, images, boards, measurement.

pub mod board;
pub mod build;
mod document;
pub mod fault;
pub mod interrupt;
pub mod kernel_config;
pub mod manifest;
pub mod new;
pub mod plan;
pub mod progress;
pub mod qemu;
pub mod quantity;
pub mod source;
mod suggest;
pub mod symbols;
pub mod toolchain;
