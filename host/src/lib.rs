//! The host tool behind `./riposte`: manifests, images, boards, measurement.

pub mod bench;
pub mod board;
pub mod build;
pub mod card;
mod child;
pub mod cli;
pub mod compare;
pub mod doc;
pub mod doctor;
mod document;
pub mod explain;
pub mod fault;
pub mod fuzz;
pub mod interface;
pub mod interrupt;
pub mod kernel_config;
pub mod lab;
pub mod machine;
pub mod manifest;
pub mod new;
pub mod plan;
pub mod progress;

pub mod quantity;
pub mod report;
pub mod results;
pub mod run;
pub mod size;
pub mod source;
pub mod stacks;
pub mod stretch;
mod suggest;
pub mod symbols;
mod table;
pub mod test;
pub mod toolchain;
mod workers;
