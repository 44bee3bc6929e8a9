//! What the threads of the differential fuzzer do.
//!
//! A *round* is a random program of several threads in several processes. Nothing of it is stored: each
//! thread draws its next call from the round's seed, from what it has seen, and from a [`World`] that all
//! threads share. The board runs this crate in its processes, on the shipped kernel; the host runs it
//! against the naive model. As long as both kernels answer alike, both worlds stay alike.
//!
//! Raw handles, tokens and thread ids differ between a board and the model, so a [`Record`] holds what
//! they *mean*: which slot or thread, and whether it is new or one that was seen before.
#![no_std]
#![forbid(unsafe_code)]

pub mod draw;
pub mod plan;
pub mod record;
pub mod world;

pub use draw::{Env, Kind, Place, Player, Step};
pub use record::{Record, absorb, note_signal};
pub use world::World;
