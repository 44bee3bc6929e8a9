//! A machine of plain vectors under the real kernel.
//!
//! * [`System`] describes processes, threads, channels and connections, and [starts](System::start)
//!   them
//! * [`Machine`] does what a port's trap code does: a test says "this thread performs this call",
//!   and the machine takes the fast path or saves the registers and calls the kernel
//! * [`check`] says what must hold between any two steps
//!
//! Registers that nobody has a right to read hold [`POISON`].
#![forbid(unsafe_code)]

mod call;
pub mod check;
mod death;
mod host;
mod machine;
mod pair;
mod protection;
mod system;

pub use call::{Answer, Call, Token};
pub use death::interrupt_at_each_step;
pub use host::{Host, Lines, POISON, code, device, pages, pool, ram, shared};
pub use machine::{Machine, Moment, both_paths};
pub use pair::Pair;
pub use protection::GRAIN;
pub use system::{
    ChannelId, Connection, InterruptId, LineKind, PoolId, ProcessId, ProxyId, System, ThreadId,
};
