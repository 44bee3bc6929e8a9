//! `reply` in its forms, and `read` and `write` on the memory of a client that waits for one.

use riposte_abi::{
    Error, MAX_PARTS, MESSAGE_BYTES,
    call::{operation, word},
    info, register,
};

use crate::{
    Access, Channel, Kernel, OutOfRange, Port, Thread, Wake,
    ipc::transfer::{Blame, Buffer, Copied, Copy, inward_buffer, message_buffer},
    kernel::Next,
    memory::window::overlap,
    sched::thread::Selection,
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

impl Kernel {
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
    /// is found before anything happens.
    pub(crate) fn reply_receive(
        &self,
        port: &impl Port,
        server: &'static Thread,
        call: u32,
    ) -> Result<Next, Error> {
        let flags = server.register(register::INFO) & !info::TAG_MASK;
        let channel = self.channel(server, call)?;
        self.check_room(port, server, flags)?;
        let deadline = self.deadline_of(port, server, flags);
        let answer = match call >> riposte_abi::call::OPERATION_SHIFT {
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
                let handle = self.transfer_handle(server, client, given)?;
                let words = [first, second, third, fourth, handle];
                self.finish(port, client, status, length | info::HANDLE, words)
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
            .check(port, Access::Read)
            .map_err(|_| Error::BadAddress)?;
        let to = inward_buffer(port, client, client.request.get().vector);
        let copied = match check_reply_buffer(port, client, &to) {
            Err(_) => Err(Blame::Destination),
            Ok(room) => {
                let length = offered.min(room);
                self.copy(
                    port,
                    server,
                    client,
                    Copy {
                        from,
                        from_offset: 0,
                        to,
                        to_offset: 0,
                        length,
                    },
                )
            }
        };
        match copied {
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
        self.unlink(port, client);
        client.returns_words(status, form, words);
        client.registers[register::GENERATION].set(accepted);
    }

    /// `client` is no longer one that its server has to answer.
    pub(crate) fn release(&self, port: &impl Port, client: &'static Thread) {
        let Some(server) = client.server.take() else {
            return;
        };
        if server.sole_client().is_some_and(|sole| sole.is(client)) {
            server.serving.set(None);
            server.serving_bytes.set(None);
            server.set_borrowing(None);
        } else {
            server.clients.remove(client);
        }
        self.end_loan(port, client, server);
        self.refresh(server);
    }

    /// Copies from a waiting client's message.
    pub(crate) fn read(&self, port: &impl Port, server: &'static Thread) -> Result<Next, Error> {
        let client = self.client(server)?;
        let [address, length, offset, ..] = server.words();
        let to = Buffer::flat(server.process, address, length);
        to.check(port, Access::ReadWrite)
            .map_err(|_| Error::BadAddress)?;
        if !client.form().is_copied() {
            server.returns(0);
            return Ok(Next::Continue);
        }
        let from = message_buffer(client);
        let available = from
            .check(port, Access::Read)
            .map(|length| length.saturating_sub(offset));
        let copied = available.map_err(|_| Blame::Source).and_then(|available| {
            let length = length.min(available);
            self.copy(
                port,
                server,
                client,
                Copy {
                    from,
                    from_offset: offset,
                    to,
                    to_offset: 0,
                    length,
                },
            )
        });
        self.moved(port, server, client, copied, Blame::Destination)
    }

    /// Copies into a waiting client's reply buffer.
    pub(crate) fn write(&self, port: &impl Port, server: &'static Thread) -> Result<Next, Error> {
        let client = self.client(server)?;
        let [address, length, offset, ..] = server.words();
        let from = Buffer::flat(server.process, address, length);
        from.check(port, Access::Read)
            .map_err(|_| Error::BadAddress)?;
        let to = inward_buffer(port, client, client.request.get().vector);
        let room =
            check_reply_buffer(port, client, &to).map(|length| length.saturating_sub(offset));
        let copied = room.map_err(|_| Blame::Destination).and_then(|room| {
            let length = length.min(room);
            self.copy(
                port,
                server,
                client,
                Copy {
                    from,
                    from_offset: 0,
                    to,
                    to_offset: offset,
                    length,
                },
            )
        });
        self.moved(port, server, client, copied, Blame::Source)
    }

    /// The outcome of moving bytes to or from a client, where `own` is the server's side.
    fn moved(
        &self,
        port: &impl Port,
        server: &'static Thread,
        client: &'static Thread,
        copied: Result<Copied, Blame>,
        own: Blame,
    ) -> Result<Next, Error> {
        match copied {
            Ok(Copied::Interrupted) => Ok(Next::Restart),
            Ok(Copied::All(length)) => {
                server.returns(length);
                Ok(Next::Continue)
            }
            Err(blame) if blame == own => Err(Error::BadAddress),
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

/// The length of a waiting client's room for the reply, all of it its own to write. What it has lent
/// is not meanwhile, even if there is no gap for it.
fn check_reply_buffer(
    port: &impl Port,
    client: &'static Thread,
    room: &Buffer,
) -> Result<u32, OutOfRange> {
    let [address, length, ..] = client.words();
    if client.form().is_lent() && overlap((room.address, room.count), (address, length)) {
        return Err(OutOfRange);
    }
    room.check(port, Access::ReadWrite)
}
