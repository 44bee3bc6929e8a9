//! The message calls of REXIS (ImageCraft) over Riposte: a task of REXIS is a process here, which
//! receives from the channel that it owns; others reach it by a connection of the
//! manifest.
//!
//! The calls have the names and the order of arguments of the published benchmark ("Synchronous
//! Message Passing and REXIS Benchmarking"), so that programs written for them read the same.
//! They differ in that a buffer knows its own length: a length beyond it is an error, never an
//! overflow. One call is added, and is not REXIS's: [`REXIS_MessageReplyReceive`].
#![no_std]
#![allow(non_snake_case, reason = "the names of the published calls")]

mod receive;
mod send;
mod task;

pub use receive::{REXIS_MessageReceive, REXIS_MessageReply, REXIS_MessageReplyReceive, Sender};
pub use send::REXIS_MessageSend;
pub use task::{Pid, REXIS_TaskPid};
