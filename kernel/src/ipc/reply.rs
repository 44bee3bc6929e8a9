//! `reply` in its forms, and `read` and `write` on the memory of a client that waits for one.

use core::slice::from_ref;

use riposte_abi::{
    Error, MAX_PARTS, MESSAGE_BYTES,
    call::{OPERATION_SHIFT, number, operation, word},
    info, register,
};

use crate::{
    Access, CHUNK, Channel, Form, Kernel, Next, OutOfRange, Port, Readable, Thread, Wake, Writable,
    ipc::{
        lend,
        receive::{check_parts, idle_channel},
        transfer::{
            Blame, Buffer, Checked, Copied, Copy, Stage, copied_to_the_end, inward, inward_buffer,
            message_buffer, readable, writable,
        },
    },
    limits::{FIXED_PRIORITIES, MEMORY_MESSAGES},
    memory::{range::common, window::overlap},
    sched::thread::{Selection, Serving},
};

/// What an answer consists of.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    Words,
    Bytes,
    Vector,
    Error,
    Handle,
}

/// An answer that has been given.
enum Answered {
    /// This client may go on; it is on no queue. So many bytes were taken.
    Client(&'static Thread, u32),
    Interrupted,
}

/// What tells the call word of a `REPLY_BYTES_RECEIVE` from that of a `REPLY_RECEIVE` at the same channel.
const BYTES: u32 = (operation::REPLY_RECEIVE ^ operation::REPLY_BYTES_RECEIVE) << OPERATION_SHIFT;

impl Kernel {
    /// `REPLY_RECEIVE`: to the only client, where nothing waits. (To one that sent words the call mostly does not
    /// come here: [`words`](crate::dispatch::words).)
    #[inline(always)]
    pub(crate) fn call_reply_receive(
        &self,
        port: &impl Port,
        server: &'static Thread,
    ) -> &'static Thread {
        let next = match server.serving.get() {
            Serving::Bytes(client) => reply_words(server, client),
            Serving::Loan(client) if MEMORY_MESSAGES => give_back(port, server, client),
            _ => None,
        };
        match next {
            Some(client) => {
                self.trace_reply(server, client, 0);
                client
            }
            None if FIXED_PRIORITIES && let Some(next) = self.reply_to_guest(port, server) => next,
            None => self.call_reply_receive_any(port, server),
        }
    }

    /// `REPLY_BYTES_RECEIVE`: in one piece to the only client, where nothing waits.
    #[inline(always)]
    pub(crate) fn call_reply_bytes_receive(
        &self,
        port: &impl Port,
        server: &'static Thread,
    ) -> &'static Thread {
        match self.reply_bytes_receive(port, server) {
            Some(next) => next,
            None => self.call_reply_receive_any(port, server),
        }
    }

    /// Every other case: first more bytes than a chunk, or bytes from and to anywhere, to the only client.
    #[inline(never)]
    fn call_reply_receive_any(&self, port: &impl Port, server: &'static Thread) -> &'static Thread {
        let call = server.register(register::CALL);
        if call >> OPERATION_SHIFT == operation::REPLY_BYTES_RECEIVE
            && let Some(next) = self.reply_long(port, server, true)
        {
            return next;
        }
        self.complete(port, server, self.reply_receive(port, server, call))
    }

    /// `REPLY` and `REPLY_BYTES`: to the only client, where nothing waits.
    #[inline(never)]
    pub(crate) fn call_reply(&self, port: &impl Port, server: &'static Thread) -> &'static Thread {
        match self.reply_at_once(port, server) {
            Some(next) => next,
            None if FIXED_PRIORITIES && matches!(server.serving.get(), Serving::Listed) => {
                self.call_reply_to_guest(port, server)
            }
            None => self.call_reply_any(port, server),
        }
    }

    /// To a guest.
    #[inline(never)]
    fn call_reply_to_guest(&self, port: &impl Port, server: &'static Thread) -> &'static Thread {
        match self.reply_to_guest_at_once(port, server) {
            Some(next) => next,
            None => self.call_reply_any(port, server),
        }
    }

    /// Every other case: first more bytes than a chunk, or bytes from and to anywhere, to the only client.
    #[inline(never)]
    fn call_reply_any(&self, port: &impl Port, server: &'static Thread) -> &'static Thread {
        let answer = match server.register(register::CALL) {
            number::REPLY => Answer::Words,
            _ => match self.reply_long(port, server, false) {
                Some(next) => return next,
                None => Answer::Bytes,
            },
        };
        self.complete(port, server, self.reply(port, server, answer))
    }

    /// `server` replies to its only client with bytes in one piece, at most a chunk, and waits where nothing waits. Returns
    /// the thread to run; `None` if it is another case. (The copy comes last: see [`Kernel::send_bytes`].)
    #[inline(always)]
    fn reply_bytes_receive(
        &self,
        port: &impl Port,
        server: &'static Thread,
    ) -> Option<&'static Thread> {
        let channel = idle_channel(server, BYTES)?;
        let client = client_without_loan(server)?;
        let (from, to) = reply_ranges::<false>(port, server, client)?;
        let length = from.length();
        if length > CHUNK {
            return None;
        }
        // Nothing can fail from here on.
        forget_accepted(client);
        end_service(server, client);
        channel.waiting_receiver.set(Some(server));
        let offered = server.register(register::WORD1);
        client.set_registers(0, info::BYTES, [length, offered, 0, 0, 0]);
        port.copy_short(from, to);
        self.trace_reply(server, client, 0);
        Some(client)
    }

    /// `server` replies to its only client with bytes in one piece, as many as there are, from and to anywhere; then it waits
    /// where nothing waits if it `receives`, else it goes on. Returns the thread to run; `None` if it is another case. The
    /// copy comes before the first change, since an interrupt may end it.
    #[inline(never)]
    fn reply_long(
        &self,
        port: &impl Port,
        server: &'static Thread,
        receives: bool,
    ) -> Option<&'static Thread> {
        let channel = if receives {
            idle_channel(server, BYTES)?
        } else {
            idle_bound(server)?
        };
        let client = client_without_loan(server)?;
        let (from, to) = reply_ranges::<true>(port, server, client)?;
        if !copied_to_the_end(port, (server, client), from, to) {
            return Some(self.complete(port, server, Ok(Next::Restart)));
        }
        // Nothing can fail from here on.
        forget_accepted(client);
        end_service(server, client);
        let (length, offered) = (from.length(), server.register(register::WORD1));
        client.set_registers(0, info::BYTES, [length, offered, 0, 0, 0]);
        self.trace_reply(server, client, 0);
        if receives {
            channel.waiting_receiver.set(Some(server));
            return Some(client);
        }
        server.priority.set(server.base.get());
        server.returns(length);
        self.make_ready(client);
        Some(self.complete(port, server, Ok(Next::Continue)))
    }

    /// `server` replies to its only client, and goes on. Returns the thread to run; `None` if it is another case.
    #[inline(always)]
    fn reply_at_once(&self, port: &impl Port, server: &'static Thread) -> Option<&'static Thread> {
        let client = client_without_loan(server)?;
        idle_bound(server)?;
        let taken = give(port, server, client)?;
        end_service(server, client);
        server.priority.set(server.base.get());
        Some(self.after_reply(port, server, client, taken))
    }

    /// `client` has been given so much of the answer of `server`, which goes on.
    #[inline(always)]
    pub(crate) fn after_reply(
        &self,
        port: &impl Port,
        server: &'static Thread,
        client: &'static Thread,
        taken: u32,
    ) -> &'static Thread {
        server.returns(taken);
        self.ready.push_back(client);
        self.trace_reply(server, client, 0);
        self.run(port, Next::Continue)
    }

    /// Answers a client. Never blocks.
    pub(crate) fn reply(
        &self,
        port: &impl Port,
        server: &'static Thread,
        answer: Answer,
    ) -> Result<Next, Error> {
        let flags = server.register(register::INFO) & !info::TAG_MASK;
        if flags & !(info::LENGTH_MASK | info::STATUS) != 0 {
            return Err(Error::BadArgument);
        }
        match self.answer(port, server, answer)? {
            Answered::Interrupted => Ok(Next::Restart),
            Answered::Client(client, taken) => {
                server.returns(taken);
                self.make_ready(client);
                Ok(Next::Continue)
            }
        }
    }

    /// Answers a client, then waits for the next message. All that can be wrong with either half
    /// is found before anything happens, but for the room for the message ([`Kernel::receive`]).
    pub(crate) fn reply_receive(
        &self,
        port: &impl Port,
        server: &'static Thread,
        call: u32,
    ) -> Result<Next, Error> {
        let flags = server.register(register::INFO) & !info::TAG_MASK;
        let channel = self.channel(server, call)?;
        check_parts(port, server, flags)?;
        self.check_receivers(server, channel)?;
        let deadline = self.deadline_of(port, server, flags);
        let answer = match call >> OPERATION_SHIFT {
            operation::REPLY_RECEIVE => Answer::Words,
            operation::REPLY_BYTES_RECEIVE => Answer::Bytes,
            operation::REPLY_VECTOR_RECEIVE => Answer::Vector,
            _ => Answer::Error,
        };
        match self.answer(port, server, answer)? {
            Answered::Interrupted => Ok(Next::Restart),
            Answered::Client(client, _) => {
                self.receive_after(port, server, channel, client, deadline)
            }
        }
    }

    /// The second half of [`Kernel::reply_receive`]. From here on the call is a `RECEIVE`, in case
    /// it has to be executed again.
    fn receive_after(
        &self,
        port: &impl Port,
        server: &'static Thread,
        channel: &'static Channel,
        client: &'static Thread,
        deadline: Option<u64>,
    ) -> Result<Next, Error> {
        let flags = server.register(register::INFO) & (info::DEADLINE | info::VECTOR);
        server.registers[register::CALL].set(word(operation::RECEIVE, channel.handle));
        server.registers[register::INFO].set(flags);
        server.progress.set(0);
        server.checked.set(0);
        // What has been copied since the last look may be as much as a copy between two looks.
        if port.interrupted() {
            self.make_ready(client);
            return Ok(Next::Restart);
        }
        let received =
            self.receive_checked(port, server, channel, Selection::Anyone, flags, deadline);
        if matches!(received, Ok(Next::Blocked)) && !client.process.is_halted() {
            return Ok(Next::HandOff(client));
        }
        self.make_ready(client);
        received
    }

    /// The client that the call's token names: it waits for this process's answer.
    pub(crate) fn client(&self, server: &'static Thread) -> Result<&'static Thread, Error> {
        let tag = server.register(register::INFO) & info::TAG_MASK;
        let index = (tag >> info::THREAD_SHIFT & 0xFF) as usize;
        let token = (tag, server.register(register::GENERATION));
        let client = self
            .tables
            .threads
            .get(index)
            .filter(|client| client.token() == token && client.process.is_alive());
        let waits_here = |client: &&Thread| {
            client
                .server
                .get()
                .is_some_and(|own| own.process.is(server.process))
        };
        client.filter(waits_here).ok_or(Error::NoSuchClient)
    }

    fn answer(
        &self,
        port: &impl Port,
        server: &'static Thread,
        answer: Answer,
    ) -> Result<Answered, Error> {
        let client = self
            .client(server)
            .inspect_err(|_| self.forget_loan(port, server))?;
        let flags = server.register(register::INFO);
        let status = if flags & info::STATUS != 0 {
            port.extra(server, 4)
        } else {
            0
        };
        let length = flags & info::LENGTH_MASK;
        let words = server.words();
        match answer {
            Answer::Error => self.finish(port, client, status, 0, [0; 5]),
            Answer::Words if length > MESSAGE_BYTES as u32 => return Err(Error::BadArgument),
            Answer::Words => self.finish(port, client, status, length, words),
            Answer::Handle => {
                let [first, second, third, fourth, given] = words;
                if length > MESSAGE_BYTES as u32 - 4 {
                    return Err(Error::BadArgument);
                }
                let handle = self.transfer_handle(port, server, client, given)?;
                let Some(handle) = handle else {
                    return Ok(Answered::Interrupted);
                };
                let words = [first, second, third, fourth, handle];
                // Whoever is refused looks for no handle, and would never close it.
                self.finish(port, client, 0, length | info::HANDLE, words)
            }
            Answer::Bytes | Answer::Vector => {
                return self.answer_bytes(
                    port,
                    server,
                    client,
                    status,
                    matches!(answer, Answer::Vector),
                );
            }
        }
        Ok(Answered::Client(client, length))
    }

    fn answer_bytes(
        &self,
        port: &impl Port,
        server: &'static Thread,
        client: &'static Thread,
        status: u32,
        vector: bool,
    ) -> Result<Answered, Error> {
        let [address, count, ..] = server.words();
        let from = Buffer {
            process: server.process,
            address,
            count,
            vector,
        };
        if vector && count > MAX_PARTS as u32 {
            return Err(Error::BadArgument);
        }
        let offered = from
            .check(port, server, Stage::Source, Access::Read)
            .map_err(|_| Error::BadAddress)?;
        let Checked::Length(offered) = offered else {
            return Ok(Answered::Interrupted);
        };
        let to = inward_buffer(port, client, client.request.get().vector);
        let room = check_reply_buffer(port, server, client, &to);
        let copy = Copy::new((&from, 0), (&to, 0), offered);
        match self.copy_within(port, server, client, copy, Blame::Destination, room) {
            Ok(Copied::Interrupted) => Ok(Answered::Interrupted),
            Ok(Copied::All(taken)) => {
                self.finish(port, client, status, info::BYTES, [taken, offered, 0, 0, 0]);
                Ok(Answered::Client(client, taken))
            }
            Err(Blame::Source) => Err(Error::BadAddress),
            // The client has taken its own memory away: its own fault.
            Err(Blame::Destination) => {
                self.unlink(port, client);
                client.fails(Error::BadAddress);
                Ok(Answered::Client(client, 0))
            }
        }
    }

    /// Copies between buffers of `server` and `client`, as far as that of the client reaches. It is on this side
    /// of the copy, and this has come of its check.
    #[inline(always)]
    fn copy_within(
        &self,
        port: &impl Port,
        server: &'static Thread,
        client: &'static Thread,
        copy: Copy,
        side: Blame,
        checked: Result<Checked, OutOfRange>,
    ) -> Result<Copied, Blame> {
        match checked {
            Err(OutOfRange) => Err(side),
            Ok(Checked::Interrupted) => Ok(Copied::Interrupted),
            Ok(Checked::Length(length)) => {
                self.copy(port, server, client, copy.within(side, length))
            }
        }
    }

    /// The point of no return of an answer: the client has its outcome and waits for nothing.
    fn finish(
        &self,
        port: &impl Port,
        client: &'static Thread,
        status: u32,
        form: u32,
        words: [u32; 5],
    ) {
        let accepted = if client.form().is_copied() {
            client.register(register::GENERATION)
        } else {
            0
        };
        if let Some(server) = client.server.get() {
            self.trace_reply(server, client, status);
        }
        self.unlink(port, client);
        client.returns_words(status, form, words);
        client.registers[register::GENERATION].set(accepted);
    }

    /// `client` is no longer one that its server has to answer.
    pub(crate) fn release(&self, port: &impl Port, client: &'static Thread) {
        let Some(server) = client.server.take() else {
            return;
        };
        let follows = server.remove_client(client);
        self.end_loan(port, client, server);
        if follows {
            self.refresh(server);
        }
    }

    /// Copies from a waiting client's message.
    pub(crate) fn read(&self, port: &impl Port, server: &'static Thread) -> Result<Next, Error> {
        let client = self.client(server)?;
        let [address, length, offset, ..] = server.words();
        let to = Buffer::flat(server.process, address, length);
        to.check(port, server, Stage::Destination, Access::ReadWrite)
            .map_err(|_| Error::BadAddress)?;
        if !client.form().is_copied() {
            server.returns(0);
            return Ok(Next::Continue);
        }
        let from = message_buffer(client);
        let available = from.check(port, server, Stage::Source, Access::Read);
        let copy = Copy::new((&from, offset), (&to, 0), length);
        self.move_bytes(port, server, client, copy, Blame::Source, available)
    }

    /// Copies into a waiting client's reply buffer.
    pub(crate) fn write(&self, port: &impl Port, server: &'static Thread) -> Result<Next, Error> {
        let client = self.client(server)?;
        let [address, length, offset, ..] = server.words();
        let from = Buffer::flat(server.process, address, length);
        from.check(port, server, Stage::Source, Access::Read)
            .map_err(|_| Error::BadAddress)?;
        let to = inward_buffer(port, client, client.request.get().vector);
        let room = check_reply_buffer(port, server, client, &to);
        let copy = Copy::new((&from, 0), (&to, offset), length);
        self.move_bytes(port, server, client, copy, Blame::Destination, room)
    }

    /// As [`Kernel::copy_within`], for a `read` or `write`, which returns how many bytes that were.
    fn move_bytes(
        &self,
        port: &impl Port,
        server: &'static Thread,
        client: &'static Thread,
        copy: Copy,
        side: Blame,
        checked: Result<Checked, OutOfRange>,
    ) -> Result<Next, Error> {
        match self.copy_within(port, server, client, copy, side, checked) {
            Ok(Copied::Interrupted) => Ok(Next::Restart),
            Ok(Copied::All(length)) => {
                server.returns(length);
                Ok(Next::Continue)
            }
            Err(blame) if blame != side => Err(Error::BadAddress),
            Err(_) => {
                // What the server has in a window stays there until it answers.
                if !client.form().is_lent() {
                    self.wake(port, client, Wake::Failed(Error::BadAddress));
                }
                server.returns(0);
                Ok(Next::Continue)
            }
        }
    }
}

/// The length of the words that `server` replies to `client` with, if it names that client and no flag.
#[inline(always)]
pub(crate) fn reply_length(server: &'static Thread, client: &'static Thread) -> Option<u32> {
    let length = server.register(register::INFO) ^ client.tag.get();
    let named = server.register(register::GENERATION) == client.generation.get();
    (named && length <= MESSAGE_BYTES as u32).then_some(length)
}

/// The bytes that `server` replies to `client` with, and where they go, if it names that client and no flag. Few bytes mostly
/// lie where data does; where it is a `LONG` copy they may lie anywhere.
#[inline(always)]
fn reply_ranges<const LONG: bool>(
    port: &impl Port,
    server: &'static Thread,
    client: &'static Thread,
) -> Option<(Readable, Writable)> {
    if server.register(register::INFO) != client.tag.get()
        || server.register(register::GENERATION) != client.generation.get()
    {
        return None;
    }
    let [address, offered, ..] = server.words();
    let from = readable::<LONG>(server, address, offered)?;
    let (address, room) = inward(port, client);
    Some(common(from, writable::<LONG>(client, address, room)?))
}

/// The one client that `server` has, if that is all it has, and it has lent nothing.
#[inline(always)]
fn client_without_loan(server: &'static Thread) -> Option<&'static Thread> {
    match server.serving.get() {
        Serving::Bytes(client) | Serving::Words(client) => Some(client),
        _ => None,
    }
}

/// The channel that `server` last received from, if nobody who waits there makes it more urgent than it is of its own.
#[inline(always)]
fn idle_bound(server: &'static Thread) -> Option<&'static Channel> {
    let channel = server.bound.get();
    (channel.idle_call.get() != 0).then_some(channel)
}

/// Gives `client` what `server` answers by a call that goes on: words, or at most a chunk of bytes. Returns how much of
/// it was taken; `None`, and nothing has been given, if it is another case.
#[inline(always)]
pub(crate) fn give(
    port: &impl Port,
    server: &'static Thread,
    client: &'static Thread,
) -> Option<u32> {
    let taken = if server.register(register::CALL) == number::REPLY_BYTES {
        let (from, to) = reply_ranges::<false>(port, server, client)?;
        if from.length() > CHUNK {
            return None;
        }
        port.copy_short(from, to);
        let offered = server.register(register::WORD1);
        client.set_registers(0, info::BYTES, [from.length(), offered, 0, 0, 0]);
        from.length()
    } else {
        let length = reply_length(server, client)?;
        client.set_registers(0, length, server.words());
        length
    };
    // Nothing can fail from here on.
    forget_accepted(client);
    Some(taken)
}

/// What `client` learns of how many of its bytes were accepted: none, if it sent words. (Else it is saved already.)
#[inline(always)]
pub(crate) fn forget_accepted(client: &Thread) {
    if client.form() == Form::Words {
        client.registers[register::GENERATION].set(0);
    }
}

/// `client`, the only one of `server`, waits for nothing any more.
#[inline(always)]
pub(crate) fn end_service(server: &'static Thread, client: &'static Thread) {
    server.serving.set(Serving::Nobody);
    server.progress.set(0);
    client.server.set(None);
    client.form.set(Form::Words);
}

/// `server` replies with words to its only client, which sent bytes, and waits where nothing waits. Returns the
/// client; `None` if it is another case.
#[inline(always)]
fn reply_words(server: &'static Thread, client: &'static Thread) -> Option<&'static Thread> {
    let channel = idle_channel(server, 0)?;
    let length = reply_length(server, client)?;
    // Nothing can fail from here on. How many bytes were accepted stays in the client's `GENERATION`.
    end_service(server, client);
    channel.waiting_receiver.set(Some(server));
    client.set_registers(0, length, server.words());
    Some(client)
}

/// As [`reply_words`], to a client that has lent memory, which is its own again.
#[inline(always)]
fn give_back(
    port: &impl Port,
    server: &'static Thread,
    client: &'static Thread,
) -> Option<&'static Thread> {
    let channel = idle_channel(server, 0)?;
    let length = reply_length(server, client)?;
    let window = channel.window()?;
    // Nothing can fail from here on.
    lend::empty(port, from_ref(server), 0, window);
    end_service(server, client);
    channel.waiting_receiver.set(Some(server));
    client.set_registers(0, length, server.words());
    client.registers[register::GENERATION].set(0);
    Some(client)
}

/// The length of a waiting client's room for the reply, all of it its own to write. What it has lent
/// is not meanwhile, even if there is no gap for it.
fn check_reply_buffer(
    port: &impl Port,
    server: &'static Thread,
    client: &'static Thread,
    room: &Buffer,
) -> Result<Checked, OutOfRange> {
    let [address, length, ..] = client.words();
    if client.form().is_lent() && overlap((room.address, room.count), (address, length)) {
        return Err(OutOfRange);
    }
    room.check(port, server, Stage::Destination, Access::ReadWrite)
}
