//! The fast path: a short message to a server that waits, and its answer by `REPLY_RECEIVE`.
//!
//! These functions decide; a port's trap code calls them with the message still in its registers
//! and, on success, switches: it saves the running thread's stack pointer, makes the returned
//! thread the running one ([`Kernel::current`](crate::Kernel)), and leaves all message registers as
//! they are except
//!
//! | | after [`send`] | after [`reply_receive`] |
//! |---|---|---|
//! | `CALL` | the badge | 0, the status |
//! | `INFO` | with the client's [`Thread::tag`] | the length |
//! | `GENERATION` | the client's [`Thread::generation`] | not defined |
//!
//! On `None` nothing has changed, and the port saves the registers and calls
//! [`Kernel::call`](crate::Kernel::call), which knows every case. Both threads' contexts are plain
//! ([`Thread::plain`]): the port checks the running one, the kernel hands out no other.
//!
//! All checks come before the first change. A server in [`Channel::armed`](crate::Channel) waits
//! without deadline or selection, serves nobody, and nothing else waits at its channel; a client in
//! `serving` is the only one, sent words, and lends its priority. That is what makes the two paths
//! short.

use riposte_abi::{MESSAGE_BYTES, info};

use crate::{Kernel, Thread, limits::HANDLES};

/// A switch that has been decided.
#[derive(Clone, Copy)]
pub struct Switch {
    /// The thread to run.
    pub thread: &'static Thread,
    /// The badge after [`send`]; the `INFO` register after [`reply_receive`].
    pub word: u32,
}

/// `client` sends `info` bytes in registers by the call word `call`.
#[inline(always)]
#[must_use]
pub fn send(client: &'static Thread, call: u32, info: u32) -> Option<Switch> {
    let handle = &client.handles[call as usize & (HANDLES - 1)];
    if handle.send_call.get() != call || info > MESSAGE_BYTES as u32 {
        return None;
    }
    let channel = handle.target.get();
    let server = channel.armed.get()?;
    let generation = client.generation.get().checked_add(1)?;
    client.generation.set(generation);
    client.server.set(Some(server));
    channel.armed.set(None);
    server.serving.set(Some(client));
    server.rank.set(client.rank.get());
    Some(Switch {
        thread: server,
        word: handle.badge.get(),
    })
}

/// `server` answers the client of this token with words, and waits for the next message.
#[inline(always)]
#[must_use]
pub fn reply_receive(
    server: &'static Thread,
    call: u32,
    info: u32,
    generation: u32,
) -> Option<Switch> {
    let channel = server.bound.get();
    if channel.idle_call.get() != call || channel.armed.get().is_some() {
        return None;
    }
    let client = server.serving.get()?;
    let length = info ^ client.tag.get();
    if client.generation.get() != generation || length > info::LENGTH_MASK.min(MESSAGE_BYTES as u32)
    {
        return None;
    }
    server.serving.set(None);
    client.server.set(None);
    channel.armed.set(Some(server));
    Some(Switch {
        thread: client,
        word: length,
    })
}

/// The running thread lets the next one of its priority run. The port saves and loads their
/// registers; `None` if there is no other one, or turns have to be planned.
#[inline(always)]
#[must_use]
pub fn give_way(kernel: &Kernel, thread: &'static Thread) -> Option<&'static Thread> {
    if kernel.slice_end.get() != u64::MAX {
        return None;
    }
    kernel.ready.level(thread.rank.get()).rotate(thread)
}
