//! The tick-timer server's library for its clients: the published code ("Messaging Performance" in
//! the Xous book) with other imports, as first written and optimised; and without a copy.
#![no_std]

extern crate alloc;

mod as_written;
mod in_place;
mod optimised;

pub use as_written::Ticktimer;
pub use in_place::Ticktimer as InPlaceTicktimer;
pub use optimised::Ticktimer as OptimisedTicktimer;
