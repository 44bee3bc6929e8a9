//! Memory that a lone thread lends to a server that waits, and the answer in words: decided where
//! [`send`](super::send) and [`reply_receive`](super::reply_receive) are, with the message in its
//! registers.
//!
//! | | after [`lend`] | after [`give_back`] |
//! |---|---|---|
//! | `CALL` | the badge | 0, the status |
//! | `INFO` | the mark, with the client's [`Thread::tag`] | the length |
//! | `GENERATION` | the client's [`Thread::generation`] | 0 |
//! | `WORD0` | the address in the server's window | |
//!
//! What a client lends stays known until it is answered: its `WORD0` and `WORD1` are saved in
//! [`Thread::registers`] before.
//!
//! Both are the only threads of their processes: so there is no gap, and one protection to change.
//! The window is the first one of the server's process (`Channel::window`), which
//! says how much it takes; what needs another one is left to the slow path. A client in `borrowing`
//! has filled the first window of its server's process.

use core::slice::from_ref;

use riposte_abi::{
    MESSAGE_BYTES,
    call::{OPERATION_SHIFT, operation},
    register,
};

use super::slot;
use crate::{
    Form, Port, Thread, Writable, ipc::lend, ipc::transfer::inward, memory::window::Contents,
};

const LEND: u32 = (operation::SEND ^ operation::LEND) << OPERATION_SHIFT;
const LEND_MUT: u32 = (operation::SEND ^ operation::LEND_MUT) << OPERATION_SHIFT;

/// Number of the window that is used.
const FIRST: usize = 0;

/// `client`, whose message registers `message` are, lends `WORD1` bytes at `WORD0` by `LEND` or
/// `LEND_MUT`. Returns what `switch` makes of the server, the badge and the address there, or of
/// `refuse`.
#[inline(always)]
pub fn lend<R>(
    port: &impl Port,
    client: &'static Thread,
    message: impl Fn(usize) -> u32,
    refuse: impl Fn() -> R,
    switch: impl FnOnce(&'static Thread, u32, u32) -> R,
) -> R {
    let call = message(register::CALL);
    let handle = slot(client, call);
    let difference = handle.send_call.get() ^ call;
    let writable = difference == LEND_MUT;
    if !writable && difference != LEND || message(register::INFO) != 0 {
        return refuse();
    }
    let channel = handle.target.get();
    let (Some(server), Some(window)) = (channel.waiting_receiver.get(), channel.window()) else {
        return refuse();
    };
    let (address, length) = (message(register::WORD0), message(register::WORD1));
    let Some(range) = own(client, address, length) else {
        return refuse();
    };
    let generation = client.generation.get().wrapping_add(1);
    if length.wrapping_sub(1) >= window.size
        || meets(inward(port, client), (address, length))
        || !client.is_alone()
        || generation == 0
        || !window.is_empty()
        || !port.can_open(range)
    {
        return refuse();
    }
    let address = lend::fill(
        port,
        from_ref(server),
        FIRST,
        window,
        range,
        Contents::Lent(client),
        writable,
    );
    let form = if writable { Form::LendMut } else { Form::Lend };
    client.form.set(form);
    client.generation.set(generation);
    client.server.set(Some(server));
    server.set_borrowing(Some(client));
    server.priority.set(client.priority.get());
    channel.waiting_receiver.set(None);
    switch(server, handle.badge.get(), address)
}

/// Where `length` bytes lie that `client` has to itself: in its data, or in its pages if none of
/// them is away.
#[inline(always)]
fn own(client: &'static Thread, address: u32, length: u32) -> Option<Writable> {
    if let Some(range) = client.data.writable(address, length) {
        return Some(range);
    }
    client.process.exchange.whole_pages(address, length)
}

/// Whether `room`, perhaps empty, has a byte in common with a range, which is not.
#[inline(always)]
fn meets((room, size): (u32, u32), (address, length): (u32, u32)) -> bool {
    size != 0 && (room.wrapping_sub(address) < length || address.wrapping_sub(room) < size)
}

/// `server` answers its only client, which has lent memory, with words by the call word `call`, and
/// waits for the next message. Returns what `switch` makes of the client and its `INFO`, or of
/// `refuse`.
#[inline(always)]
pub fn give_back<R>(
    port: &impl Port,
    server: &'static Thread,
    call: u32,
    info: u32,
    generation: u32,
    refuse: impl Fn() -> R,
    switch: impl FnOnce(&'static Thread, u32) -> R,
) -> R {
    let channel = server.bound.get();
    if channel.idle_call.get() != call || channel.waiting_receiver.get().is_some() {
        return refuse();
    }
    let (Some(client), Some(window)) = (server.borrowing(), channel.window()) else {
        return refuse();
    };
    let length = info ^ client.tag.get();
    if generation != client.generation.get() || length > MESSAGE_BYTES as u32 {
        return refuse();
    }
    lend::empty(port, from_ref(server), FIRST, window);
    server.set_borrowing(None);
    client.form.set(Form::Words);
    client.server.set(None);
    channel.waiting_receiver.set(Some(server));
    switch(client, length)
}
