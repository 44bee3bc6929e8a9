//! `send`: the client's half of a message.

use riposte_abi::{
    Error, MAX_PARTS,
    call::{HANDLE_MASK, OPERATION_SHIFT, operation},
    info, register,
};

use crate::{
    Access, CHUNK, Channel, Form, Handle, Kernel, Next, Port, Process, Thread,
    ipc::{
        receive::{Delivery, check_parts},
        transfer::{Checked, Stage, copied_to_the_end, inward, message_buffer, readable, writable},
    },
    limits::FIXED_PRIORITIES,
    memory::range::common,
    object::handle::ShutBy,
    sched::thread::{Request, Selection, Serving},
};

/// What tells the call word of a `SEND_BYTES` from that of a `SEND` through the same handle.
const BYTES: u32 = (operation::SEND ^ operation::SEND_BYTES) << OPERATION_SHIFT;

impl Kernel {
    /// `SEND_BYTES`: to a server that waits, at once.
    #[inline(always)]
    pub(crate) fn call_send_bytes(
        &self,
        port: &impl Port,
        client: &'static Thread,
    ) -> &'static Thread {
        match self.send_bytes::<false>(port, client) {
            Some(next) => next,
            None => self.call_send_any(port, client),
        }
    }

    /// `SEND`: to a channel with a fixed priority. (To any other one the call mostly does not come here:
    /// [`words`](crate::dispatch::words).)
    #[inline(always)]
    pub(crate) fn call_send(&self, port: &impl Port, client: &'static Thread) -> &'static Thread {
        if FIXED_PRIORITIES && let Some(next) = self.send_as_guest(port, client) {
            return next;
        }
        self.call_send_any(port, client)
    }

    /// Every other case: first more bytes than a chunk, or bytes from and to anywhere.
    #[inline(never)]
    pub(crate) fn call_send_any(
        &self,
        port: &impl Port,
        client: &'static Thread,
    ) -> &'static Thread {
        let operation = client.register(register::CALL) >> OPERATION_SHIFT;
        if operation == operation::SEND_BYTES
            && let Some(next) = self.send_bytes::<true>(port, client)
        {
            return next;
        }
        self.complete(port, client, self.send(port, client, operation))
    }

    /// `client` sends bytes in one piece, and asks for nothing beyond that, to a server that may simply be handed
    /// a message. Returns the thread to run; `None` if it is another case.
    ///
    /// A `LONG` copy, which may be of few bytes, comes before the first change, since an interrupt may end it; a short one comes last, when
    /// little has to be kept in registers.
    #[inline(always)]
    fn send_bytes<const LONG: bool>(
        &self,
        port: &impl Port,
        client: &'static Thread,
    ) -> Option<&'static Thread> {
        let call = client.register(register::CALL);
        let handle = client.slot(call);
        if handle.send_call.get() ^ call != BYTES || client.register(register::INFO) != 0 {
            return None;
        }
        let channel = handle.target.get();
        let server = channel.waiting_receiver.get()?;
        let [address, offered, ..] = client.words();
        let from = readable::<LONG>(client, address, offered)?;
        let (address, room) = inward(port, server);
        let to = writable::<LONG>(server, address, room)?;
        let (from, to) = common(from, to);
        let length = from.length();
        if !LONG && length > CHUNK {
            return None;
        }
        let generation = client.generation.get().wrapping_add(1);
        if generation == 0 {
            return None;
        }
        if LONG && !copied_to_the_end(port, (client, server), from, to) {
            if !server.may_repeat(port) {
                return None;
            }
            client.form.set(Form::Bytes);
            client.request.set(Request {
                badge: handle.badge.get(),
                channel: Some(channel),
                ..Request::NONE
            });
            self.begin_message(port, client, client, server);
            return Some(self.complete(port, client, Ok(Next::HandOff(server))));
        }
        // Nothing can fail from here on.
        client.note_badge(handle.badge.get());
        client.generation.set(generation);
        client.progress.set(0);
        client.server.set(Some(server));
        client.form.set(Form::Bytes);
        client.registers[register::GENERATION].set(length);
        channel.waiting_receiver.set(None);
        server.serving.set(Serving::Bytes(client));
        server.priority.set(client.priority.get());
        server.registers[register::GENERATION].set(generation);
        let info = client.tag.get() | info::BYTES;
        server.set_registers(handle.badge.get(), info, [length, offered, 0, 0, 0]);
        if !LONG {
            port.copy_short(from, to);
        }
        self.trace_message(client, server, handle);
        Some(server)
    }

    /// Sends through a connection and waits for the reply.
    pub(crate) fn send(
        &self,
        port: &impl Port,
        client: &'static Thread,
        operation: u32,
    ) -> Result<Next, Error> {
        self.relax(client);
        let handle = self.connection(client, client.register(register::CALL))?;
        let channel = handle.target.get();
        let flags = client.register(register::INFO);
        let form = match operation {
            operation::SEND_BYTES => Form::Bytes,
            operation::SEND_VECTOR => Form::Vector,
            operation::LEND => Form::Lend,
            operation::LEND_MUT => Form::LendMut,
            operation::MOVE => Form::Move,
            _ => Form::Words,
        };
        let request = Request {
            vector: flags & info::VECTOR != 0,
            accepts_handle: flags & info::ACCEPT_HANDLE != 0,
            limited: flags & info::DEADLINE != 0,
            badge: handle.badge.get(),
            channel: Some(channel),
        };
        check_flags(form, flags)?;
        let deadline = self.deadline_of(port, client, flags);
        client.request.set(request);
        client.form.set(form);
        let sent = match self.check_message(port, client, channel) {
            Ok(Checked::Interrupted) => Ok(Next::Restart),
            Ok(Checked::Length(_)) => self.send_checked(port, client, channel, deadline),
            Err(error) => Err(error),
        };
        if !matches!(sent, Ok(Next::Blocked | Next::HandOff(_))) {
            self.keep(port, client);
            client.request.set(Request::NONE);
            client.form.set(Form::Words);
        }
        sent
    }

    fn send_checked(
        &self,
        port: &impl Port,
        client: &'static Thread,
        channel: &'static Channel,
        deadline: Option<u64>,
    ) -> Result<Next, Error> {
        while let Some(server) = self.receiver_for(channel, client, client.request.get().badge) {
            match self.deliver(port, client, client, server)? {
                Delivery::Delivered | Delivery::Begun => {
                    self.limit(client, deadline.map(for_answer));
                    return Ok(Next::HandOff(server));
                }
                Delivery::Interrupted => return Ok(Next::Restart),
                // The server's own buffer was bad; it has its error, the client waits for the next.
                Delivery::ServerFailed if port.interrupted() => return Ok(Next::Restart),
                Delivery::ServerFailed => {}
            }
        }
        may_block(port, deadline)?;
        if !self.check_cycle(port, Some(client), client, channel)? {
            return Ok(Next::Restart);
        }
        self.line_up(client, channel);
        self.limit(client, deadline);
        Ok(Next::Blocked)
    }

    /// `client` waits at `channel` for somebody to take its message.
    pub(crate) fn line_up(&self, client: &'static Thread, channel: &'static Channel) {
        client.sending.set(Some(channel));
        channel.list_receiver();
        channel.enqueue(client);
        self.trace_send(client);
        self.refresh_servers(channel);
    }

    /// The first thread that waits at the channel and takes messages from `client` with this badge.
    pub(crate) fn receiver_for(
        &self,
        channel: &'static Channel,
        client: &'static Thread,
        badge: u32,
    ) -> Option<&'static Thread> {
        channel
            .receivers()
            .filter(|receiver| !receiver.process.is_halted())
            .find(|receiver| match receiver.selection.get() {
                Selection::Anyone => true,
                Selection::Badge(selected) => selected == badge,
                Selection::Thread(selected) => selected.is(client),
            })
    }

    /// All of the message is the client's: a bad buffer is its own fault, and found before anybody
    /// else is involved. The room for the reply is looked at when there is one.
    fn check_message(
        &self,
        port: &impl Port,
        client: &'static Thread,
        channel: &'static Channel,
    ) -> Result<Checked, Error> {
        if client.form().carries_memory() {
            return self
                .part_with(port, client, channel)
                .map(|()| Checked::Length(0));
        }
        let mut checked = Checked::Length(0);
        if client.form() != Form::Words {
            let message = message_buffer(client);
            if message.vector && message.count > MAX_PARTS as u32 {
                return Err(Error::BadArgument);
            }
            checked = message
                .check(port, client, Stage::Source, Access::Read)
                .map_err(|_| Error::BadAddress)?;
        }
        check_parts(port, client, client.register(register::INFO))?;
        Ok(checked)
    }

    /// The open connection that the low part of `word` names.
    pub(crate) fn connection(
        &self,
        thread: &'static Thread,
        word: u32,
    ) -> Result<&'static Handle, Error> {
        let handle = self.slot(thread.process, word)?;
        check_connection(handle, word)?;
        Ok(handle)
    }

    pub(crate) fn slot(&self, process: &Process, word: u32) -> Result<&'static Handle, Error> {
        let index = (word & riposte_abi::call::INDEX_MASK) as usize;
        self.handles_of(process).get(index).ok_or(Error::BadHandle)
    }

    /// The call's deadline, if it has one.
    pub(crate) fn deadline_of(&self, port: &impl Port, thread: &Thread, flags: u32) -> Option<u64> {
        if flags & info::DEADLINE == 0 {
            return None;
        }
        Some(u64::from(port.extra(thread, 0)) | u64::from(port.extra(thread, 1)) << 32)
    }

    /// Gives a thread that has just been blocked its deadline.
    #[inline]
    pub(crate) fn limit(&self, thread: &'static Thread, deadline: Option<u64>) {
        if let Some(at) = deadline {
            self.deadlines.insert(&thread.deadline, at);
        }
    }
}

/// Refuses a handle that is not the open connection which the low part of `word` names.
#[inline(always)]
pub(crate) fn check_connection(handle: &Handle, word: u32) -> Result<(), Error> {
    if handle.sends_by(word) && handle.target.get().owner.is_alive() {
        return Ok(());
    }
    Err(why_closed(handle, word))
}

/// The error of a call that names a connection which is not open, or whose server has died.
#[inline(never)]
fn why_closed(handle: &Handle, word: u32) -> Error {
    if !handle.is_for_messages() {
        return Error::NotPermitted;
    }
    match (handle.is_open(), handle.shut_by.get()) {
        _ if !handle.is_named_by(word & HANDLE_MASK) => Error::BadHandle,
        (true, _) | (false, ShutBy::Server) => Error::ServerDied,
        (false, _) => Error::BadHandle,
    }
}

/// The deadline of a message that a server has: who may not wait for one waits for its answer.
fn for_answer(deadline: u64) -> u64 {
    deadline | u64::from(deadline == 0) << 63
}

/// Whether a call with this deadline may still wait.
pub(crate) fn may_block(port: &impl Port, deadline: Option<u64>) -> Result<(), Error> {
    match deadline {
        Some(0) => Err(Error::WouldBlock),
        Some(at) if at <= port.now() => Err(Error::TimedOut),
        _ => Ok(()),
    }
}

fn check_flags(form: Form, flags: u32) -> Result<(), Error> {
    let length = flags & info::LENGTH_MASK;
    let parts = if form.carries_memory() {
        0
    } else {
        info::VECTOR
    };
    let known = info::LENGTH_MASK | info::DEADLINE | parts | info::ACCEPT_HANDLE;
    let most = if form == Form::Words {
        riposte_abi::MESSAGE_BYTES as u32
    } else {
        0
    };
    if flags & !known != 0 || length > most {
        Err(Error::BadArgument)
    } else {
        Ok(())
    }
}
