//! Tests of the library against a stand-in for the kernel.

mod channel;
mod connection;
mod console;
mod hostile;
mod interface;
mod interrupted;
mod memory;
mod names;
mod pages;
mod peripheral;
mod places;
mod region;
#[cfg(feature = "postcard")]
mod serial;
pub(crate) mod sync;
mod thread_local;
mod token;
mod unopened;
