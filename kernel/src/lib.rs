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

#[macro_use]
mod state;

#[cfg(debug_assertions)]
mod check;
mod dispatch;
mod fault;
mod interrupt;
mod ipc;
mod kernel;
mod memory;
mod object;
mod port;
mod sched;
mod signal;
#[cfg(feature = "snapshot")]
pub mod snapshot;
mod sync;
mod time;
mod trace;

/// What types depend on. Everything else is sized by the tables given to [`Kernel::new`].
pub mod limits {
    include!(concat!(env!("OUT_DIR"), "/limits.rs"));
}

pub(crate) use dispatch::Next;
pub use dispatch::{Event, call as calls, words};
pub use fault::{Fault, Known};
pub use interrupt::Interrupt;
pub use ipc::{
    notice::{Notice, Source},
    proxy::{Objects, Proxy},
    transfer::CHUNK,
};
pub use kernel::{Kernel, Tables};
pub use memory::{
    pool::{Block, Held, Pool, Quota},
    range::{Access, OutOfRange, Range, Readable, Writable},
    window::{Exchange, Gap, Window},
    word::Word,
};
pub use object::{
    channel::{Channel, Inheritance, Order},
    handle::{Handle, Object, Purpose, Rights},
    process::{Grants, OnEnd, Process},
    program::{IfPrograms, Programs},
    restart::Restart,
};
pub use port::{Port, Room};
pub use sched::{
    policy::Policy,
    queue::{List, PriorityList, PriorityTree, Queue},
    ready::Ready,
    spawn::Phase,
    thread::{Form, State, Thread, Wake},
};
pub use signal::{Signalling, queue::Queued, upcall::Upcall};
pub use time::{
    deadline::{Deadline, Due},
    timer::{Timer, timer_rate},
};
pub use trace::{IfTraced, Trace};

/// What objects are made from.
pub mod settings {
    pub use crate::{
        object::channel::Settings as Channel, object::process::Settings as Process,
        sched::thread::Settings as Thread,
    };
}
