//! The tick-timer server's library for its clients: the published code ("Messaging Performance" in
//! the Xous book) with other imports, as first written and optimised.
#![no_std]

extern crate alloc;

mod as_written;
mod optimised;

pub use as_written::Ticktimer;
pub use optimised::Ticktimer as OptimisedTicktimer;
