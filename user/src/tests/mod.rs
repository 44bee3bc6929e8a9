//! Tests of the library against a stand-in for the kernel.

mod channel;
mod connection;
mod interface;
mod names;
mod token;
