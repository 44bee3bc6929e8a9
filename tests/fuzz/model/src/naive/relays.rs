//! Clients that a server hands on to another one, as the book's page of messages and the binary interface say. The bytes of
//! such a client are copied by whoever takes its message, and by nobody before.

use riposte_abi::{Error, call, call::operation, info, register};
use riposte_fuzz_script::plan;

use super::{Doing, Done, From, Given, Naive, failed, process_of, returned};
use crate::memory::{Memory, length_of};

impl Given {
    /// What is left of a call that waits for a message of these, if it has answered somebody, or acknowledged an interrupt.
    pub(super) fn received(self, from: From) -> Given {
        let mut receive = self;
        let channel = self.call() & call::HANDLE_MASK;
        let select = if from == From::Anyone {
            0
        } else {
            info::SELECT
        };
        receive.registers[register::CALL] = call::word(operation::RECEIVE, channel);
        receive.registers[register::INFO] &= info::DEADLINE | info::VECTOR | select;
        receive
    }
}

impl Naive {
    pub(super) fn relay(&mut self, memory: &mut Memory, server: usize, given: Given) -> Done {
        let process = process_of(server);
        if !plan::RELAYS[process] {
            return Err(Error::NotPermitted);
        }
        let client = self.client(server, given)?;
        let length = given.flags() & !info::TAG_MASK;
        if length > 20 {
            return Err(Error::BadArgument);
        }
        if self.threads[client].request.memory.is_some() {
            return Err(Error::CannotLend);
        }
        let slot = self.connection(process, given.call())?;
        let channel = slot.channel.ok_or(Error::BadHandle)?;
        if self.receiver_for(channel, client, slot.badge).is_none() {
            self.check_chain(client, self.raised_by_senders(channel))?;
        }
        self.threads[server].result = returned(&[0]);
        self.leave_server(client);
        let request = &mut self.threads[client].request;
        request.badge = slot.badge;
        if !request.bytes {
            (request.words, request.length) = (given.words(), length);
        }
        self.send_relayed(memory, client, channel);
        Ok(None)
    }

    /// A client that waits for an answer waits for nobody, but for what it does next.
    fn leave_server(&mut self, client: usize) {
        let Doing::Waiting { server, channel } = self.threads[client].doing else {
            return;
        };
        self.taken.retain(|other| *other != client);
        self.threads[client].doing = Doing::Ready;
        self.threads[client].request.begun = false;
        if self.clients_of(server).is_empty() {
            self.threads[server].serves = false;
        }
        let own = super::Notice::Unblock { thread: client };
        self.channels[channel].notices.retain(|it| *it != own);
        self.update();
    }

    /// A client that nobody serves sends its message to the channel.
    fn send_relayed(&mut self, memory: &mut Memory, client: usize, channel: usize) {
        let deadline = self.threads[client].deadline;
        let is_late = self.threads[client].request.limited && deadline.is_none();
        let why = if is_late {
            Some(Error::TimedOut)
        } else {
            (self.due(client) != 0 && self.is_alive(client)).then_some(Error::Interrupted)
        };
        if let Some(why) = why {
            self.wake(client, failed(why));
            self.summon(client);
            return;
        }
        let badge = self.threads[client].request.badge;
        let Some(receiver) = self.receiver_for(channel, client, badge) else {
            self.block(client, Doing::Sending { channel }, deadline);
            self.update();
            return;
        };
        if self.threads[client].request.bytes {
            self.begin(client, receiver, channel);
        } else {
            let result = self.take(memory, receiver, client, channel);
            self.wake(receiver, result);
        }
    }

    /// The message of a client is that of who waits for one; its call goes on with the bytes when it runs.
    fn begin(&mut self, client: usize, receiver: usize, channel: usize) {
        let it = &mut self.threads[client];
        it.messages += 1;
        it.request.begun = true;
        it.doing = Doing::Waiting {
            server: receiver,
            channel,
        };
        self.taken.push(client);
        self.threads[receiver].serves = true;
        self.threads[receiver].again = Some(self.threads[receiver].receive);
        let result = self.threads[receiver].result;
        self.wake(receiver, result);
    }

    /// The client whose message the server has begun to take, if it still waits for that.
    pub(super) fn begun_with(&self, server: usize) -> Option<usize> {
        let mut clients = self.taken.iter().copied();
        clients.find(|client| {
            matches!(self.threads[*client].doing, Doing::Waiting { server: own, .. } if own == server)
                && self.threads[*client].request.begun
        })
    }

    /// The server copies the message that it has begun to take. If it is none any more its call begins anew.
    pub(super) fn take_begun(
        &mut self,
        memory: &mut Memory,
        server: usize,
        client: usize,
        given: Given,
    ) -> Done {
        let Doing::Waiting { channel, .. } = self.threads[client].doing else {
            return Ok(None);
        };
        if !self.is_alive(client) {
            self.stop_waiting(client);
            self.update();
            self.threads[server].again = Some(given);
            return Ok(None);
        }
        let request = self.threads[client].request;
        let Ok(from) = memory.pieces(process_of(client), request.named(), false) else {
            self.wake(client, failed(Error::BadAddress));
            self.threads[server].again = Some(given);
            return Ok(None);
        };
        let Ok(to) = memory.pieces(process_of(server), given.room(), true) else {
            self.send_relayed_again(memory, client, channel);
            return Err(Error::BadAddress);
        };
        let offered = length_of(&from);
        let copied = offered.min(length_of(&to));
        let bytes = memory.gather(&from, 0, copied);
        memory.scatter(&to, 0, &bytes);
        let it = &mut self.threads[client];
        (it.request.accepted, it.request.begun) = (copied, false);
        let (tag, generation) = self.token(client);
        let mut result = returned(&[copied, offered]);
        result[register::CALL] = request.badge;
        result[register::INFO] = info::BYTES | tag;
        result[register::GENERATION] = generation;
        self.threads[server].result = result;
        if request.limited && self.threads[client].deadline.is_none() {
            self.ask_to_unblock(memory, channel, client);
        }
        self.taken.retain(|other| *other != client);
        self.taken.push(client);
        self.deliver(memory, client);
        Ok(None)
    }

    /// Who has begun to take the message of a client takes it no more.
    fn send_relayed_again(&mut self, memory: &mut Memory, client: usize, channel: usize) {
        self.leave_server(client);
        let badge = self.threads[client].request.badge;
        let known = match self.receiver_for(channel, client, badge) {
            Some(_) => Ok(()),
            None => self.check_chain(client, self.raised_by_senders(channel)),
        };
        self.send_relayed(memory, client, channel);
        if let Err(error) = known
            && self.threads[client].doing == (Doing::Sending { channel })
        {
            self.wake(client, failed(error));
        }
    }

    /// Whether the call of `thread`, the running one, goes on later, as it has woken somebody more urgent.
    pub(super) fn gives_way(&mut self, thread: usize, given: Given) -> bool {
        let gives_way = self.urgent() > Some(self.priority(thread));
        if gives_way {
            self.threads[thread].again = Some(given);
        }
        gives_way
    }

    /// Whoever runs makes the call again that it is to make again.
    pub(super) fn make_calls_again(&mut self, memory: &mut Memory) {
        while let Some(thread) = self.current
            && let Some(given) = self.threads[thread].again.take()
        {
            self.make_call(memory, thread, given);
            if self.threads[thread].again.is_none() {
                // Signals have waited until it is over.
                match self.threads[thread].doing {
                    Doing::Ready => self.summon(thread),
                    _ => self.deliver(memory, thread),
                }
            }
            self.end_event(memory);
        }
    }
}
