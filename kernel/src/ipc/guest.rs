//! Messages at channels with a fixed priority: the short ways of those who lend their servers nothing.
//!
//! A client of such a channel is its server's guest ([`Thread::guests`]): no priority has to be lent, or taken back,
//! however many of them a server keeps. What these ways leave behind is what the general cases leave, which any other
//! message is left to: then nothing has changed.

use riposte_abi::{MESSAGE_BYTES, call::operation, register};

use crate::{
    Form, Kernel, Next, Port, Thread,
    ipc::{
        receive::empty_channel,
        reply::{forget_accepted, give, reply_length},
    },
    sched::thread::{Request, Selection, Serving},
};

impl Thread {
    /// Whether it waits for any message, with nothing to be looked at first, and nobody lends it a priority.
    #[inline(always)]
    fn receives_guests(&self) -> bool {
        matches!(self.selection.get(), Selection::Anyone)
            && matches!(self.serving.get(), Serving::Nobody | Serving::Listed)
            && !self.request.get().vector
            && !self.deadline.is_set()
            && self.partner.get().is_none()
            && !self.process.is_halted()
            && self.clients.is_empty()
            && !self.has_lockers()
            && self.joiner().is_none()
    }
}

impl Kernel {
    /// `client` sends words, and asks for nothing beyond that, to a server that simply waits. Returns the thread to run;
    /// `None` if it is another case.
    #[inline(always)]
    pub(crate) fn send_as_guest(
        &self,
        port: &impl Port,
        client: &'static Thread,
    ) -> Option<&'static Thread> {
        let [call, length] = [register::CALL, register::INFO].map(|it| client.register(it));
        let handle = client.slot(call);
        if handle.send_call.get() != call || length > MESSAGE_BYTES as u32 {
            return None;
        }
        let channel = handle.target.get();
        let priority = channel.fixed?;
        let server = channel.receivers.first()?;
        // A token never returns: the general case counts on when this part of it wraps.
        let generation = client.generation.get().wrapping_add(1);
        if generation == 0 || client.partner.get().is_some() || !server.receives_guests() {
            return None;
        }
        // Nothing can fail from here on.
        let badge = handle.badge.get();
        client.request.set(Request {
            badge,
            channel: Some(channel),
            ..Request::NONE
        });
        client.forget_progress();
        client.generation.set(generation);
        client.server.set(Some(server));
        channel.receivers.remove(server);
        server.waiting.set(false);
        server.guests.push_back(client);
        server.serving.set(Serving::Listed);
        server.serves.set(true);
        server.priority.set(priority);
        server.registers[register::GENERATION].set(generation);
        server.set_registers(badge, length | client.tag.get(), client.words());
        self.trace_message(client, server, handle);
        Some(self.run(port, Next::HandOff(server)))
    }

    /// The guest whom `server` answers by its call, if that brings nothing but a status of 0, and nothing but the answer
    /// is to be looked at.
    #[inline(always)]
    fn plain_guest(&self, server: &'static Thread) -> Option<&'static Thread> {
        let client = self.client(server).ok()?;
        let request = client.request.get();
        let channel = request.channel?;
        let is_plain = channel.fixed.is_some()
            && !(request.limited | request.vector)
            && !client.form().carries_memory()
            && channel.is(server.bound.get())
            && client.server.get().is_some_and(|own| own.is(server))
            && client.partner.get().is_none()
            && !client.unblock.is_queued()
            && !client.is_lone_receiver()
            && !client.process.is_halted()
            && !server.repeats();
        is_plain.then_some(client)
    }

    /// `server` replies to a guest, and goes on. Returns the thread to run; `None` if it is another case.
    #[inline(always)]
    pub(crate) fn reply_to_guest_at_once(
        &self,
        port: &impl Port,
        server: &'static Thread,
    ) -> Option<&'static Thread> {
        let client = self.plain_guest(server)?;
        let taken = give(port, server, client)?;
        self.end_visit(server, client);
        Some(self.after_reply(port, server, client, taken))
    }

    /// `client`, a [plain guest](Kernel::plain_guest) of `server`, waits for nothing any more.
    #[inline(always)]
    fn end_visit(&self, server: &'static Thread, client: &'static Thread) {
        server.forget_progress();
        server.guests.remove(client);
        if server.guests.first().is_none() && server.clients.is_empty() {
            server.serves.set(false);
            server.serving.set(Serving::Nobody);
        }
        client.server.set(None);
        client.request.set(Request::NONE);
        client.form.set(Form::Words);
        self.summon_after_wait(client);
    }

    /// `server` replies with words to a guest, and waits where nothing waits. Returns the thread to run; `None` if it is
    /// another case.
    #[inline(always)]
    pub(crate) fn reply_to_guest(
        &self,
        port: &impl Port,
        server: &'static Thread,
    ) -> Option<&'static Thread> {
        let client = self.plain_guest(server)?;
        let channel = empty_channel(server, operation::REPLY_RECEIVE)?;
        let length = reply_length(server, client)?;
        // Nothing can fail from here on.
        forget_accepted(client);
        client.set_registers(0, length, server.words());
        self.end_visit(server, client);
        server.waiting.set(true);
        channel.receivers.begin(server);
        self.trace_reply(server, client, 0);
        Some(self.run(port, Next::HandOff(client)))
    }
}
