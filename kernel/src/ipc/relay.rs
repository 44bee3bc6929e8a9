//! `relay`: a server hands a client on to another one, and is rid of it.

use riposte_abi::{Error, MESSAGE_BYTES, call::number, info, register};

use crate::{
    Channel, Form, Kernel, Next, Port, Thread, Wake,
    ipc::transfer::forget_copy,
    limits::{RELAYS, SIGNALS},
};

/// The call word of a client that was handed on.
const RELAYED: u32 = number::NULL;

impl Kernel {
    /// Hands the client that the call's token names on to the server of the connection that its word names, as if it had sent
    /// its message through that. Never blocks.
    ///
    /// No bytes are copied here: whoever waits for a message has this one from now on, and copies it when it runs.
    #[inline(never)]
    pub(crate) fn relay(
        &self,
        port: &impl Port,
        server: &'static Thread,
        word: u32,
    ) -> Result<Next, Error> {
        if !server.process.grants.relay {
            return Err(Error::NotPermitted);
        }
        let client = self.client(server)?;
        let length = server.register(register::INFO) & !info::TAG_MASK;
        if length > MESSAGE_BYTES as u32 {
            return Err(Error::BadArgument);
        }
        if client.form().carries_memory() {
            return Err(Error::CannotLend);
        }
        let handle = self.connection(server, word)?;
        let channel = handle.target.get();
        let mut request = client.request.get();
        request.badge = handle.badge.get();
        match self.receiver_for(channel, client, request.badge) {
            Some(receiver) if !may_take(port, client, receiver) => {
                self.wake(port, receiver, Wake::Failed(Error::BadAddress));
                return Ok(Next::Restart);
            }
            Some(_) => {}
            None if !self.check_cycle(port, Some(server), client, channel)? => {
                return Ok(Next::Restart);
            }
            None => {}
        }
        let words = server.words();
        server.returns(0);
        if self.lets_go(port, client) {
            return Ok(Next::Continue);
        }
        self.release(port, client);
        self.forget_unblock(client);
        forget_copy(client);
        request.channel = Some(channel);
        client.request.set(request);
        if client.form() == Form::Words {
            client.set_registers(RELAYED, length, words);
        } else {
            client.registers[register::CALL].set(RELAYED);
        }
        self.send_relayed(port, client, channel);
        Ok(Next::Continue)
    }

    /// Whether `client`, of whose message a part may have been copied, was handed on: it has made no call that would bring it
    /// where it is.
    pub(crate) fn was_relayed(&self, client: &Thread) -> bool {
        RELAYS && client.register(register::CALL) == RELAYED
    }

    /// Whether `client`, which a server has, was to be let go by it: then it is, and nobody else begins with it. A handler of
    /// its begins when it is the next to run.
    fn lets_go(&self, port: &impl Port, client: &'static Thread) -> bool {
        let why = if client.is_late() {
            Error::TimedOut
        } else if SIGNALS && client.leaves_for_signal() {
            Error::Interrupted
        } else {
            return false;
        };
        self.wake(port, client, Wake::Failed(why));
        true
    }

    /// `client`, which nobody serves, waits at `channel` to be received, or to be answered by who waits there.
    fn send_relayed(&self, port: &impl Port, client: &'static Thread, channel: &'static Channel) {
        match self.receiver_for(channel, client, client.request.get().badge) {
            Some(receiver) => {
                if client.form() == Form::Words {
                    self.hand_over(client, receiver, client.words());
                } else {
                    client.forget_progress();
                    self.begin_message(port, client, client, receiver);
                }
                self.make_ready(receiver);
            }
            None => self.line_up(client, channel),
        }
    }

    /// Who has begun to take the message of `client`, which was handed on, takes it no more: it waits at `channel` again, or
    /// is told why it cannot. Whether that is done: else one who waits there has been told that it cannot take it either, and
    /// the same is to be done again. The processor is that of the one who failed.
    pub(crate) fn send_relayed_again(
        &self,
        port: &impl Port,
        client: &'static Thread,
        channel: &'static Channel,
    ) -> bool {
        if self.lets_go(port, client) {
            return true;
        }
        match self.receiver_for(channel, client, client.request.get().badge) {
            Some(receiver) if !may_take(port, client, receiver) => {
                self.wake(port, receiver, Wake::Failed(Error::BadAddress));
                return false;
            }
            Some(_) => {}
            None => match self.check_cycle(port, None, client, channel) {
                Ok(true) => {}
                Ok(false) => return false,
                Err(error) => {
                    self.wake(port, client, Wake::Failed(error));
                    return true;
                }
            },
        }
        self.release(port, client);
        forget_copy(client);
        self.send_relayed(port, client, channel);
        true
    }
}

/// Whether `receiver`, which waits for a message, can be made to copy that of `client`: else its call cannot go on, where its
/// process has parted with its stack.
fn may_take(port: &impl Port, client: &Thread, receiver: &Thread) -> bool {
    client.form() == Form::Words || receiver.may_repeat(port)
}
