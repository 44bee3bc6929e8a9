//! What `riposte.h` declares and does not define inline: the Rust library, by C's calling
//! convention and in C's types.
//!
//! The header is generated from this crate and from `abi/` (see `host/tests/c_header.rs`): names,
//! types and comments here are those that a C programmer reads. The message calls are not here: they
//! are inline functions of the header, so that they cost no more than Rust's.
//!
//! The invariant behind every `unsafe` here: an address that a C program gives is handed to the
//! kernel as a number, which checks it; or it is read or written as the function's comment in the
//! header asks the caller to allow. No Rust reference to it outlives the call.
#![no_std]
#![allow(non_camel_case_types, reason = "they are C's names")]
#![allow(clippy::missing_safety_doc, reason = "the comments are C's")]

mod byte_queue;
mod call;
mod console;
mod exchange;
mod flags;
mod futex;
mod heap;
mod interrupt;
mod memory;
mod mutex;
mod names;
mod object;
mod once;
mod process;
mod proxy;
mod queue;
mod region;
mod rwlock;
mod semaphore;
mod signal;
mod start;
mod storage;
mod supervise;
mod text;
pub mod thread;
mod time;
pub mod types;
