//! The portable Riposte microkernel: a pure state machine.
//!
//! System calls and events go in, the thread to run comes out. Nothing here names an
//! architecture, touches a register or a clock, or is `unsafe`; what the machine has to do is
//! behind [`Port`]. The same code runs on the boards and, on the host, under the tests and the
//! explorer.
//!
//! # How it is laid out
//!
//! All objects are `&'static` and sized by the application's manifest; their state is in
//! [`Cell`](core::cell::Cell)s. The kernel is never preempted (a long copy polls and restarts),
//! so a call is one step from one consistent state to another.
//!
//! * [`Thread`], [`Process`], [`Channel`], [`Handle`], [`Notice`]: the objects
//! * [`Proxy`], [`Timer`], [`Deadline`]: what is triggered, and when something is due
//! * [`Kernel`]: the tables, the running thread, what is ready, the deadlines
//! * [`fast`]: the message path that most calls take; everything else is behind [`Kernel::call`]
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

#[cfg(feature = "snapshot")]
extern crate alloc;

mod call;
mod channel;
mod connect;
mod deadline;
mod death;
mod exchange;
pub mod fast;
mod fault;
mod foremost;
mod futex;
mod handle;
mod interrupt;
mod kernel;
mod lend;
mod lock;
mod memory;
mod notice;
mod notification;
mod port;
mod priority;
mod process;
mod proxy;
mod queue;
mod receive;
mod reclaim;
mod reply;
mod schedule;
mod send;
#[cfg(feature = "snapshot")]
pub mod snapshot;
mod spawn;
mod thread;
mod timer;
mod transfer;

/// What types depend on. Everything else is sized by the tables given to [`Kernel::new`].
pub mod limits {
    include!(concat!(env!("OUT_DIR"), "/limits.rs"));
}

pub use channel::{Channel, Inheritance, Order};
pub use deadline::{Deadline, Due};
pub use exchange::{Exchange, Gap, Window};
pub use fault::Fault;
pub use handle::{Handle, Object, Purpose, Rights};
pub use interrupt::Interrupt;
pub use kernel::{Kernel, Tables};
pub use memory::{Access, OutOfRange, Range, Readable, Writable};
pub use notice::{Notice, Source};
pub use port::Port;
pub use process::{Grants, OnEnd, Process};
pub use proxy::{Objects, Proxy};
pub use queue::{List, Queue};
pub use schedule::Policy;
pub use spawn::Phase;
pub use thread::{Form, State, Thread, Wake};
pub use timer::{Timer, timer_rate};
pub use transfer::CHUNK;

/// What objects are made from.
pub mod settings {
    pub use crate::{
        channel::Settings as Channel, process::Settings as Process, thread::Settings as Thread,
    };
}
