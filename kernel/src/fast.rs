//! The fast path: a message to a server that waits, and its answer by `REPLY_RECEIVE`, or by `REPLY`
//! and then `RECEIVE`.
//!
//! These functions decide and change the kernel's state; a port's trap code calls them and, on
//! success, switches to the thread that they name. On a refusal nothing has changed, and the port
//! saves the registers and calls [`Kernel::call`](crate::Kernel::call), which knows every case.
//!
//! **Words.** [`send`] and [`reply_receive`] are called with the message still in its registers,
//! where it stays, except
//!
//! | | after [`send`] | after [`reply_receive`] |
//! |---|---|---|
//! | `CALL` | the badge | 0, the status |
//! | `INFO` | with the client's [`Thread::tag`] | the length |
//! | `GENERATION` | the client's [`Thread::generation`] | not defined |
//!
//! **Bytes.** [`send_bytes`] and [`reply_bytes_receive`] ask the port for a message register when
//! they need it, and tell it what the other side is to find in its own ([`Arrival`]). What a client
//! sends stays readable until it is answered: its `WORD0` and `WORD1` are saved in
//! [`Thread::registers`].
//!
//! Both threads' contexts are plain ([`Thread::plain`]): the port checks the running one, the
//! kernel hands out no other.
//!
//! A long copy comes before the first change, since an interrupt may end it (then the call is executed
//! again, and goes on where the copy ended); a short one last, when little has to be kept in registers.
//!
//! All checks come before the first change. A server in [`Channel::waiting_receiver`](crate::Channel) waits
//! without deadline, selection or parts, serves nobody, and nothing else waits at its channel; a
//! client in `serving` or `serving_bytes` is the only one, and lends its priority. That is what
//! makes the path short.

pub mod alarm;
pub mod futex;
pub mod interrupt;
pub mod lend;

use core::hint::cold_path;

use riposte_abi::{
    MESSAGE_BYTES,
    call::{self, OPERATION_SHIFT, number, operation},
    info, register,
};

use crate::{
    CHUNK, Channel, Form, Handle, Kernel, Order, Port, Readable, Thread, Writable,
    ipc::transfer::{CUT, copied_before, forget_copy, keep_copied},
    limits::HANDLES,
    memory::range::common,
    sched::thread::Request,
};

/// What a thread to which bytes were sent finds in its registers, but for `GENERATION`, which is
/// saved in [`Thread::registers`] already.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// `CALL`: the badge; 0, the status, in an answer.
    pub call: u32,
    /// `INFO`: the flag `BYTES`; for a server with the client's [`Thread::tag`].
    pub info: u32,
    /// `WORD0`: bytes copied.
    pub copied: u32,
    /// `WORD1`: bytes offered, as `WORD1` of the caller says. The other words are 0.
    pub offered: u32,
}

impl Arrival {
    /// Saves it in the registers of `thread`.
    #[inline(always)]
    pub fn save(self, thread: &Thread) {
        let words = [self.copied, self.offered, 0, 0, 0];
        thread.set_registers(self.call, self.info, words);
    }
}

/// The slot that a call word names in the table of `thread`.
#[inline(always)]
fn slot(thread: &'static Thread, call: u32) -> &'static Handle {
    &thread.handles.get()[call as usize & (HANDLES - 1)]
}

/// `client` sends `info` bytes in registers by the call word `call`. Returns what `switch` makes of
/// the server and the badge, or of `refuse`.
#[inline(always)]
pub fn send<R>(
    client: &'static Thread,
    call: u32,
    info: u32,
    refuse: impl Fn() -> R,
    switch: impl FnOnce(&'static Thread, u32) -> R,
) -> R {
    let handle = slot(client, call);
    if handle.send_call.get() != call || info > MESSAGE_BYTES as u32 {
        return refuse();
    }
    let channel = handle.target.get();
    let Some(server) = channel.waiting_receiver.get() else {
        return refuse();
    };
    let generation = client.generation.get().wrapping_add(1);
    if generation == 0 {
        return refuse();
    }
    client.generation.set(generation);
    client.server.set(Some(server));
    server.serving.set(Some(client));
    server.priority.set(client.priority.get());
    channel.waiting_receiver.set(None);
    switch(server, handle.badge.get())
}

/// `server` answers with words by the call word `call`, and waits for the next message; the token
/// is in `info` and `generation`, which are read late. Returns what `switch` makes of the client
/// and its `INFO`, or of `refuse`.
#[inline(always)]
pub fn reply_receive<R>(
    server: &'static Thread,
    call: u32,
    info: impl FnOnce() -> u32,
    generation: impl FnOnce() -> u32,
    refuse: impl Fn() -> R,
    switch: impl FnOnce(&'static Thread, u32) -> R,
) -> R {
    let channel = server.bound.get();
    if channel.idle_call.get() != call || channel.waiting_receiver.get().is_some() {
        return refuse();
    }
    let Some(client) = server.serving.get() else {
        return refuse();
    };
    if generation() != client.generation.get() {
        return refuse();
    }
    let length = info() ^ client.tag.get();
    if length > MESSAGE_BYTES as u32 {
        return refuse();
    }
    server.serving.set(None);
    client.server.set(None);
    channel.waiting_receiver.set(Some(server));
    switch(client, length)
}

/// `client` sends `WORD1` bytes at `WORD0`; `message` are its message registers. `deliver` tells the
/// port what the server finds in its own; returns what `switch` makes of the server, or `refuse`.
#[inline(always)]
pub fn send_bytes<R>(
    port: &impl Port,
    client: &'static Thread,
    message: impl Fn(usize) -> u32,
    deliver: impl Fn(&'static Thread, Arrival),
    refuse: impl Fn() -> R,
    switch: impl Fn(&'static Thread) -> R,
) -> R {
    send_bytes_by::<false, R>(port, client, message, deliver, refuse, switch)
}

#[inline(never)]
fn send_long<R>(
    port: &impl Port,
    client: &'static Thread,
    message: impl Fn(usize) -> u32,
    deliver: impl Fn(&'static Thread, Arrival),
    refuse: impl Fn() -> R,
    switch: impl Fn(&'static Thread) -> R,
) -> R {
    send_bytes_by::<true, R>(port, client, message, deliver, refuse, switch)
}

#[inline(always)]
fn send_bytes_by<const LONG: bool, R>(
    port: &impl Port,
    client: &'static Thread,
    message: impl Fn(usize) -> u32,
    deliver: impl Fn(&'static Thread, Arrival),
    refuse: impl Fn() -> R,
    switch: impl Fn(&'static Thread) -> R,
) -> R {
    const DIFFERENCE: u32 = (operation::SEND ^ operation::SEND_BYTES) << OPERATION_SHIFT;
    let call = message(register::CALL);
    let handle = slot(client, call);
    if handle.send_call.get() ^ call != DIFFERENCE || message(register::INFO) != 0 {
        return refuse();
    }
    let channel = handle.target.get();
    let Some(server) = channel.waiting_receiver.get() else {
        return refuse();
    };
    let (address, offered) = (message(register::WORD0), message(register::WORD1));
    let Some(from) = client.data.readable(address, offered) else {
        return refuse();
    };
    let (address, room) = port.inward(server);
    let Some(to) = server.data.writable(address, room) else {
        return refuse();
    };
    let (from, to) = common(from, to);
    if !LONG && from.length() > CHUNK {
        return send_long(port, client, message, deliver, refuse, switch);
    }
    let generation = client.generation.get().wrapping_add(1);
    if generation == 0 {
        return refuse();
    }
    if LONG && !copied_to_the_end(port, (client, server), from, to) {
        // Only the long way knows that somebody else has used the room meanwhile.
        channel.list_receiver();
        return refuse();
    }
    client.generation.set(generation);
    server.registers[register::GENERATION].set(generation);
    client.server.set(Some(server));
    client.progress.set(0);
    client.registers[register::GENERATION].set(from.length());
    channel.waiting_receiver.set(None);
    server.serving_bytes.set(Some(client));
    server.priority.set(client.priority.get());
    let arrival = Arrival {
        call: handle.badge.get(),
        info: client.tag.get() | info::BYTES,
        copied: from.length(),
        offered,
    };
    deliver(server, arrival);
    if !LONG {
        port.copy_short(from, to);
    }
    switch(server)
}

/// `server` answers its only client with `WORD1` bytes at `WORD0`, and waits for the next message;
/// `message` are its message registers. `deliver` tells the port what the client finds in its own;
/// returns what `switch` makes of the client, or `refuse`.
#[inline(always)]
pub fn reply_bytes_receive<R>(
    port: &impl Port,
    server: &'static Thread,
    message: impl Fn(usize) -> u32,
    deliver: impl Fn(&'static Thread, Arrival),
    refuse: impl Fn() -> R,
    switch: impl Fn(&'static Thread) -> R,
) -> R {
    reply_bytes_by::<false, R>(port, server, message, deliver, refuse, switch)
}

#[inline(never)]
fn reply_long<R>(
    port: &impl Port,
    server: &'static Thread,
    message: impl Fn(usize) -> u32,
    deliver: impl Fn(&'static Thread, Arrival),
    refuse: impl Fn() -> R,
    switch: impl Fn(&'static Thread) -> R,
) -> R {
    reply_bytes_by::<true, R>(port, server, message, deliver, refuse, switch)
}

#[inline(always)]
fn reply_bytes_by<const LONG: bool, R>(
    port: &impl Port,
    server: &'static Thread,
    message: impl Fn(usize) -> u32,
    deliver: impl Fn(&'static Thread, Arrival),
    refuse: impl Fn() -> R,
    switch: impl Fn(&'static Thread) -> R,
) -> R {
    const DIFFERENCE: u32 =
        (operation::REPLY_RECEIVE ^ operation::REPLY_BYTES_RECEIVE) << OPERATION_SHIFT;
    let Some(channel) = idle(server, || message(register::CALL), DIFFERENCE) else {
        return refuse();
    };
    let client = match server.serving_bytes.get() {
        Some(client) => client,
        None => {
            cold_path();
            let Some(client) = server.serving.get() else {
                return refuse();
            };
            client
        }
    };
    if message(register::INFO) != client.tag.get()
        || message(register::GENERATION) != client.generation.get()
    {
        return refuse();
    }
    let (address, offered) = (message(register::WORD0), message(register::WORD1));
    let Some(from) = server.data.readable(address, offered) else {
        return refuse();
    };
    let (address, room) = port.inward(client);
    let Some(to) = client.data.writable(address, room) else {
        return refuse();
    };
    let (from, to) = common(from, to);
    if !LONG && from.length() > CHUNK {
        return reply_long(port, server, message, deliver, refuse, switch);
    }
    if LONG && !copied_to_the_end(port, (server, client), from, to) {
        return refuse();
    }
    answer(server, client, channel);
    let arrival = Arrival {
        call: 0,
        info: info::BYTES,
        copied: from.length(),
        offered,
    };
    deliver(client, arrival);
    if !LONG {
        port.copy_short(from, to);
    }
    switch(client)
}

/// Copies on behalf of `caller` from or to `peer`, whether to the end. If not, the call is refused, and
/// executed again when the interrupt that waits is served ([`Kernel::call`](crate::Kernel::call)).
#[inline(always)]
fn copied_to_the_end(
    port: &impl Port,
    (caller, peer): (&'static Thread, &'static Thread),
    from: Readable,
    to: Writable,
) -> bool {
    let length = from.length();
    let before = copied_before(caller, peer).min(length);
    let done = before + port.copy(from.part(before, length), to.part(before, length));
    if done < length {
        keep_copied(caller, peer, done | CUT);
        return false;
    }
    forget_copy(caller);
    true
}

/// `server` answers its only client, which sent bytes, with words, and waits for the next message.
#[inline(always)]
pub fn reply_words_to_bytes(server: &'static Thread) -> Option<&'static Thread> {
    let channel = idle(server, || server.register(register::CALL), 0)?;
    let client = server.serving_bytes.get()?;
    let length = server.register(register::INFO) ^ client.tag.get();
    if server.register(register::GENERATION) != client.generation.get()
        || length > MESSAGE_BYTES as u32
    {
        return None;
    }
    answer(server, client, channel);
    client.set_registers(0, length, server.words());
    Some(client)
}

/// The channel that `server` serves, if its call word is that of a `REPLY_RECEIVE` there but for
/// `difference`, and nothing waits there.
#[inline(always)]
fn idle(
    server: &'static Thread,
    call: impl FnOnce() -> u32,
    difference: u32,
) -> Option<&'static Channel> {
    let channel = server.bound.get();
    let called = channel.idle_call.get() ^ call() == difference;
    (called && channel.waiting_receiver.get().is_none()).then_some(channel)
}

/// The point of no return of an answer: `client` waits for nothing, `server` for a message. A copy
/// that an interrupt once cut short is over.
#[inline(always)]
fn answer(server: &'static Thread, client: &'static Thread, channel: &'static Channel) {
    free(server, client);
    server.progress.set(0);
    channel.waiting_receiver.set(Some(server));
}

/// `server` no longer serves its only client, which waits for nothing.
#[inline(always)]
fn free(server: &'static Thread, client: &'static Thread) {
    server.serving.set(None);
    server.serving_bytes.set(None);
    client.server.set(None);
}

/// `server` answers its only client with the `WORD1` bytes at `WORD0` by `REPLY_BYTES`, and goes on;
/// `message` are its message registers. What the client finds in its own is saved. Returns what `done`
/// makes of the bytes that were taken, or `refuse`.
#[inline(always)]
pub fn reply_bytes<R>(
    kernel: &Kernel,
    port: &impl Port,
    server: &'static Thread,
    message: impl Fn(usize) -> u32,
    refuse: impl FnOnce() -> R,
    done: impl FnOnce(u32) -> R,
) -> R {
    let base = server.base.get();
    // It has run at its client's priority: nobody who is more urgent than that waits.
    let usual = answered(kernel, server, &message, |priority| priority <= base)
        .and_then(|client| Some((client, answer_of(port, server, client, &message)?)));
    let Some((client, (from, to))) = usual else {
        return refuse();
    };
    let taken = from.length();
    end_service(server, client);
    let priority = client.priority.get();
    let words = [taken, message(register::WORD1), 0, 0, 0];
    client.set_registers(0, info::BYTES, words);
    kernel.put_behind(priority, client);
    port.copy_short(from, to);
    done(taken)
}

/// `server` answers its only client by `REPLY` or `REPLY_BYTES`. Returns the thread to run: the
/// server, or its client, if that is more urgent than the server is without it, and than everybody
/// else. An only client is not held: [`Thread::list_client`].
#[inline(always)]
pub fn reply(
    kernel: &Kernel,
    port: &impl Port,
    server: &'static Thread,
) -> Option<&'static Thread> {
    kernel.settle();
    let message = |position| server.register(position);
    let client = answered(kernel, server, message, |priority| {
        priority <= server.base.get() || !kernel.ready.holds_above(priority - 1)
    })?;
    let taken = if message(register::CALL) == number::REPLY_BYTES {
        let (from, to) = answer_of(port, server, client, message)?;
        port.copy_short(from, to);
        let words = [from.length(), message(register::WORD1), 0, 0, 0];
        client.set_registers(0, info::BYTES, words);
        from.length()
    } else {
        let length = message(register::INFO) ^ client.tag.get();
        if length > MESSAGE_BYTES as u32 {
            return None;
        }
        client.set_registers(0, length, server.words());
        length
    };
    end_service(server, client);
    server.returns(taken);
    if client.priority.get() > server.base.get() {
        kernel.put_in_front(server.base.get(), server);
        return Some(client);
    }
    kernel.put_behind(client.priority.get(), client);
    Some(server)
}

/// The client that `server` answers by these registers, if it is its only one, no other one waits for
/// the server, and `fits` says that of its priority, and of those who are ready, follows who runs.
#[inline(always)]
fn answered(
    kernel: &Kernel,
    server: &'static Thread,
    message: impl Fn(usize) -> u32,
    fits: impl Fn(u8) -> bool,
) -> Option<&'static Thread> {
    let client = server.only_client()?;
    let foreseen = message(register::GENERATION) == client.generation.get()
        && fits(client.priority.get())
        && server.bound.get().idle_call.get() != 0
        && !kernel.slicing();
    foreseen.then_some(client)
}

/// The bytes that `server` answers `client` with by these registers, and where they go.
#[inline(always)]
fn answer_of(
    port: &impl Port,
    server: &'static Thread,
    client: &'static Thread,
    message: impl Fn(usize) -> u32,
) -> Option<(Readable, Writable)> {
    let from = server
        .data
        .readable(message(register::WORD0), message(register::WORD1))?;
    let (address, room) = port.inward(client);
    let (from, to) = common(from, client.data.writable(address, room)?);
    let plain = message(register::INFO) == client.tag.get() && from.length() <= CHUNK;
    plain.then_some((from, to))
}

/// The point of no return of a separate answer: `client` waits for nothing, and `server` serves
/// nobody. A copy that an interrupt once cut short is over.
#[inline(always)]
fn end_service(server: &'static Thread, client: &'static Thread) {
    free(server, client);
    server.progress.set(0);
    server.priority.set(server.base.get());
}

/// What tells the call word of a `RECEIVE` from that of a `REPLY_RECEIVE`.
const RECEIVE: u32 = (operation::REPLY_RECEIVE ^ operation::RECEIVE) << OPERATION_SHIFT;

/// `server` waits by the call word `call` for a message, which finds it armed if none is there; or
/// takes the first one that is, if there is nothing special about it. Returns the thread to run, its
/// registers saved; if that is another one than the server, `may_run` has agreed to it.
#[inline(always)]
pub fn receive(
    kernel: &Kernel,
    server: &'static Thread,
    call: u32,
    info: u32,
    may_run: impl Fn(&'static Thread) -> bool,
) -> Option<&'static Thread> {
    if info != 0 || !server.owes_nobody() {
        return None;
    }
    let Some(channel) = idle(server, || call, RECEIVE) else {
        return take(kernel, server, call);
    };
    let next = match kernel.take_foremost(&may_run) {
        None => kernel.take_next(may_run)?,
        Some(next) => next,
    };
    server.progress.set(0);
    channel.waiting_receiver.set(Some(server));
    Some(next)
}

/// `server`, the only thread of its process, takes the first message that waits at the channel that
/// it serves, if that is in words and there is nothing special about it.
#[inline(never)]
fn take(kernel: &Kernel, server: &'static Thread, call: u32) -> Option<&'static Thread> {
    kernel.settle();
    let channel = server.bound.get();
    let simple =
        channel.fixed.is_none() && channel.order == Order::Priority && server.process.threads == 1;
    if call != call::word(operation::RECEIVE, channel.handle)
        || !simple
        || !channel.notices.is_empty()
        || server.has_lockers()
        || kernel.slicing()
    {
        return None;
    }
    let client = channel.senders.first()?;
    let request = client.request.get();
    let held = client.process.is_halted();
    let special = request.limited || request.vector || request.accepts_handle || held;
    let priority = client.priority.get();
    if special
        || client.form.get() != Form::Words
        || !client.plain.get()
        || kernel.ready.holds_above(priority)
    {
        return None;
    }
    client.sending.set(None);
    channel.dequeue(client);
    client.request.set(Request::NONE);
    client.server.set(Some(server));
    server.serving.set(Some(client));
    server.priority.set(priority);
    server.progress.set(0);
    forget_copy(server);
    let (tag, generation) = kernel.new_token(client);
    let length = client.register(register::INFO) & info::LENGTH_MASK;
    server.registers[register::GENERATION].set(generation);
    server.set_registers(request.badge, tag | length, client.words());
    Some(server)
}

/// The running thread lets the next one of its priority run. The port saves and loads their
/// registers; `None` if there is no other one, or turns have to be planned.
#[inline(always)]
pub fn give_way(
    kernel: &Kernel,
    thread: &'static Thread,
    may_run: impl Fn(&'static Thread) -> bool,
) -> Option<&'static Thread> {
    let priority = thread.priority.get();
    if let Some(next) = kernel.foremost() {
        return (next.priority.get() == priority && may_run(next)).then(|| {
            kernel.foremost.set(Some(thread));
            next
        });
    }
    if kernel.slicing() {
        return None;
    }
    kernel.rotate(priority, thread, may_run)
}
