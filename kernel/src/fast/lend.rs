//! The short way of memory that is lent to a server that waits, and of the answer in words, where both
//! are the only threads of their processes: so there is no gap, and one protection to change.
//!
//! Neither is a part of the functions that call it: those save every register, these a few.
//!
//! As everywhere here, all checks come before the first change. A client that lends is always in
//! [`Thread::clients`], where nothing but this and the slow path answers it.

use core::slice::from_ref;

use riposte_abi::{
    MESSAGE_BYTES,
    call::{OPERATION_SHIFT, operation},
    info, register,
};

use super::{idle, slot};
use crate::{
    Form, Kernel, Port, Thread, Writable,
    exchange::{Contents, overlap},
    lend::{empty, fill},
};

/// `client` lends memory by `LEND` or `LEND_MUT`. Returns the server, which is to run.
#[inline(never)]
pub(crate) fn lend(
    kernel: &Kernel,
    port: &impl Port,
    client: &'static Thread,
    operation: u32,
) -> Option<&'static Thread> {
    let call = client.register(register::CALL);
    let handle = slot(client, call);
    let difference = (operation::SEND ^ operation) << OPERATION_SHIFT;
    if handle.send_call.get() ^ call != difference || client.register(register::INFO) != 0 {
        return None;
    }
    let channel = handle.target.get();
    let server = channel.armed.get()?;
    let (home, holder) = (client.process, server.process);
    let [address, length, ..] = client.words();
    let range = own(client, address, length)?;
    let (reply, room) = port.inward(client);
    let generation = client.generation.get().wrapping_add(1);
    if length.wrapping_sub(1) >= holder.exchange.window_size
        || room != 0 && overlap((reply, room), (address, length))
        || home.threads != 1
        || holder.threads != 1
        || !channel.notify_unblock
        || generation == 0
        || !client.plain.get()
        || kernel.slicing()
        || !port.can_open(range)
    {
        return None;
    }
    let mut windows = holder.exchange.windows.iter();
    let window = windows.find(|window| window.is_empty())?;
    let writable = operation == operation::LEND_MUT;
    let contents = Contents::Lent(client);
    let address = fill(port, from_ref(server), window, range, contents, writable);
    home.lent.set(home.lent.get() + 1);
    client
        .form
        .set(if writable { Form::LendMut } else { Form::Lend });
    client.generation.set(generation);
    client.server.set(Some(server));
    channel.armed.set(None);
    server.clients.push_back(client);
    server.rank.set(client.rank.get());
    let mark = info::LENT + (operation - operation::LEND);
    let [_, _, first, second, third] = client.words();
    let words = [address, length, first, second, third];
    server.set_registers(handle.badge.get(), client.tag.get() | mark, words);
    server.registers[register::GENERATION].set(generation);
    Some(server)
}

/// What `client` lends of its own memory: of its data, or of its pages if they are there.
#[inline(always)]
fn own(client: &'static Thread, address: u32, length: u32) -> Option<Writable> {
    client.data.writable(address, length).or_else(|| {
        let process = client.process;
        let in_pages = process.exchange.pages.holds(address, length);
        process.writable(address, length).ok().filter(|_| in_pages)
    })
}

/// `server` answers its only client, which has lent memory, with words by `REPLY_RECEIVE`. Returns
/// the client, which is to run.
#[inline(never)]
pub(crate) fn give_back(
    kernel: &Kernel,
    port: &impl Port,
    server: &'static Thread,
) -> Option<&'static Thread> {
    let channel = idle(server, || server.register(register::CALL), 0)?;
    let client = server.clients.first()?;
    let (home, holder) = (client.process, server.process);
    let length = server.register(register::INFO) ^ client.tag.get();
    let is_only = client.next.get().is_some_and(|next| next.is(client));
    if !is_only
        || length > MESSAGE_BYTES as u32
        || server.register(register::GENERATION) != client.generation.get()
        || client.request.get().channel.is_some()
        || !client.form.get().is_lent()
        || home.held.get()
        || home.threads != 1
        || holder.threads != 1
        || kernel.slicing()
    {
        return None;
    }
    let mut windows = holder.exchange.windows.iter();
    let window = windows.find(|window| window.is_lent_by(client))?;
    empty(port, from_ref(server), window);
    home.lent.set(home.lent.get() - 1);
    server.clients.remove(client);
    client.server.set(None);
    client.form.set(Form::Words);
    client.set_registers(0, length, server.words());
    client.registers[register::GENERATION].set(0);
    channel.armed.set(Some(server));
    Some(client)
}
