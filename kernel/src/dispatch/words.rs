//! The two calls whose message never touches memory: SEND of words to a server that waits, and REPLY_RECEIVE
//! of words to its client.
//!
//! A port calls these functions with the message still in its registers, where it stays, but for
//!
//! | register | after [`send`] | after [`reply_receive`] |
//! |---|---|---|
//! | `CALL` | the badge | 0, the status |
//! | `INFO` | with the client's [`Thread::tag`] | the length |
//! | `GENERATION` | the client's [`Thread::generation`] | not defined |
//!
//! All checks come before the first change, and after it nothing can fail. A refusal has changed nothing: the
//! port saves the registers, and the table of calls ([`Kernel::serve`](crate::Kernel::serve)) serves it. A waiting
//! receiver ([`Channel::waiting_receiver`](crate::Channel)) waits without deadline, selection or parts, serves
//! nobody, and nothing else waits at its channel. A client in [`Serving::Words`] is its server's only one, asks
//! for nothing beyond the message, and lends its priority. That makes these paths short.

use riposte_abi::{MESSAGE_BYTES, register};

use crate::{Thread, sched::thread::Serving};

/// `client` sends `info` bytes in registers by the call word `call`. Returns what `switch` makes of the server
/// and the badge, or of `refuse`.
#[inline(always)]
pub fn send<R>(
    client: &'static Thread,
    call: u32,
    info: u32,
    refuse: impl Fn() -> R,
    switch: impl FnOnce(&'static Thread, u32) -> R,
) -> R {
    let handle = client.slot(call);
    // One comparison says: this operation, this slot and generation, open, with the right to send.
    if handle.send_call.get() != call || info > MESSAGE_BYTES as u32 {
        return refuse();
    }
    let channel = handle.target.get();
    let Some(server) = channel.waiting_receiver.get() else {
        return refuse();
    };
    // A token never returns: the general path counts on when this part of it wraps.
    let generation = client.generation.get().wrapping_add(1);
    if generation == 0 {
        return refuse();
    }
    // Nothing can fail from here on.
    client.note_badge(handle.badge.get());
    client.generation.set(generation);
    client.server.set(Some(server));
    server.serving.set(Serving::Words(client));
    server.priority.set(client.priority.get());
    channel.waiting_receiver.set(None);
    switch(server, handle.badge.get())
}

/// `server` replies with words by the call word `call`, and waits for the next message; the token is in `info`
/// and `generation`. Returns what `switch` makes of the client and its `INFO`, or of `refuse`.
#[inline(always)]
pub fn reply_receive<R>(
    server: &'static Thread,
    call: u32,
    info: u32,
    generation: u32,
    refuse: impl Fn() -> R,
    switch: impl FnOnce(&'static Thread, u32) -> R,
) -> R {
    let channel = server.bound.get();
    // Nothing waits at the channel: neither a message, nor a notice, nor another receiver.
    if channel.idle_call.get() != call || channel.waiting_receiver.get().is_some() {
        return refuse();
    }
    let Serving::Words(client) = server.serving.get() else {
        return refuse();
    };
    if generation != client.generation.get() {
        return refuse();
    }
    // What is left of `INFO` without the right tag is a length, and no flag.
    let length = info ^ client.tag.get();
    if length > MESSAGE_BYTES as u32 {
        return refuse();
    }
    // Nothing can fail from here on.
    server.serving.set(Serving::Nobody);
    client.server.set(None);
    channel.waiting_receiver.set(Some(server));
    switch(client, length)
}

/// What the registers of a thread hold when one of these calls has been served.
pub type Registers = [u32; register::COUNT];

/// Serves a call as a port's trap code does that finds it in `registers`: the thread to run, and its registers.
/// `None` if it is no such call, or is refused.
///
/// For machines that have no registers of their own; a port's trap code is these lines in assembly.
#[must_use]
pub fn attempt(
    caller: &'static Thread,
    mut registers: Registers,
) -> Option<(&'static Thread, Registers)> {
    use riposte_abi::call::{OPERATION_SHIFT, operation};
    let [call, info] = [registers[register::CALL], registers[register::INFO]];
    let next = match call >> OPERATION_SHIFT {
        operation::SEND => {
            let sent = send(
                caller,
                call,
                info,
                || None,
                |server, badge| Some((server, badge)),
            );
            let (server, badge) = sent?;
            registers[register::CALL] = badge;
            registers[register::INFO] = info | caller.tag.get();
            registers[register::GENERATION] = caller.generation.get();
            server
        }
        operation::REPLY_RECEIVE => {
            let generation = registers[register::GENERATION];
            let switch = |client, length| Some((client, length));
            let replied = reply_receive(caller, call, info, generation, || None, switch);
            let (client, length) = replied?;
            registers[register::CALL] = 0;
            registers[register::INFO] = length;
            client
        }
        _ => return None,
    };
    Some((next, registers))
}
