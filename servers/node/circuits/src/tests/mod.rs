//! Two nodes on the host, in a time of their own, over a wire that does what a seed says.

mod alarm;
mod bad_wire;
mod hostile;
mod layout;
mod parts;
mod promises;
mod triggers;
mod world;
