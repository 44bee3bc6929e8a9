//! `receive`: the server's half of a message, and notices.

use riposte_abi::{
    Error, MAX_PARTS,
    call::{OPERATION_SHIFT, operation, word},
    info, notice, register,
    trace::kind,
};

use crate::{
    Access, Channel, Form, Kernel, Notice, Port, Source, Thread, Wake,
    dispatch::Next,
    ipc::send::may_block,
    ipc::transfer::{
        Blame, Checked, Copied, Copy, Stage, forget_copy, have_met, inward_buffer, keep_checks,
        keep_copied, message_buffer, recall_checks,
    },
    limits::{INTERRUPTS, MEMORY_MESSAGES, PROXIES, SIGNALS},
    object::{handle::Purpose, search::Search},
    port::Interrupted,
    sched::thread::{Request, Selection, Serving},
};

/// The flag that acknowledges an interrupt, if there are any.
const ACKNOWLEDGE: u32 = if INTERRUPTS { info::ACKNOWLEDGE } else { 0 };

/// What came of handing a message to a server.
#[must_use]
pub(crate) enum Delivery {
    /// The server has it, and the client waits for the reply.
    Delivered,
    /// As [`Delivery::Delivered`], but for what is left to be copied: the server's call goes on with that when it is
    /// executed again.
    Begun,
    /// An interrupt waits; nothing has changed but the part of the buffer that was filled.
    Interrupted,
    /// The server's buffer was not its own: the server has been woken with the error (if it
    /// waited), the client is where it was.
    ServerFailed,
}

/// What tells the call word of a `RECEIVE` from that of a `REPLY_RECEIVE` at the same channel.
const RECEIVE: u32 = (operation::REPLY_RECEIVE ^ operation::RECEIVE) << OPERATION_SHIFT;

/// The channel that `server` last received from, if its call word is that of a `REPLY_RECEIVE` there but for
/// `difference`, and nothing waits there.
#[inline(always)]
pub(crate) fn idle_channel(server: &'static Thread, difference: u32) -> Option<&'static Channel> {
    let channel = server.bound.get();
    let called = channel.idle_call.get() ^ server.register(register::CALL) == difference;
    (called && channel.waiting_receiver.get().is_none()).then_some(channel)
}

/// The channel at which `server` calls to receive, by this `operation`, if neither message nor notice waits there, nothing of
/// one is left to be copied, and it is known as its only receiver.
#[inline(always)]
pub(crate) fn empty_channel(server: &'static Thread, operation: u32) -> Option<&'static Channel> {
    let channel = server.bound.get();
    let called = word(operation, channel.handle) == server.register(register::CALL);
    let empty = channel.senders.is_empty() && channel.notices.is_empty();
    let may_wait = empty && called && channel.has_one_receiver.get() && !server.copies.get();
    may_wait.then_some(channel)
}

impl Kernel {
    /// `RECEIVE`: for any message, where nothing waits.
    #[inline(always)]
    pub(crate) fn call_receive(
        &self,
        port: &impl Port,
        server: &'static Thread,
    ) -> &'static Thread {
        let flags = server.register(register::INFO);
        if flags & !ACKNOWLEDGE == 0
            && server.owes_nobody()
            && !server.repeats()
            && let Some(channel) = idle_channel(server, RECEIVE)
            && self.acknowledges(port, server, flags)
        {
            server.forget_progress();
            channel.waiting_receiver.set(Some(server));
            return self.run(port, Next::Blocked);
        }
        self.call_receive_any(port, server)
    }

    /// Every other case. Where nothing waits, but the channel has a fixed priority, or the server owes answers, it waits in the
    /// list.
    #[inline(never)]
    fn call_receive_any(&self, port: &impl Port, server: &'static Thread) -> &'static Thread {
        let flags = server.register(register::INFO);
        if flags & !ACKNOWLEDGE == 0
            && let Some(channel) = empty_channel(server, operation::RECEIVE)
            && !server.repeats()
            && self.acknowledges(port, server, flags)
        {
            channel.add_receiver(server, false);
            return self.complete(port, server, Ok(Next::Blocked));
        }
        let mut received = self.receive(port, server);
        if received.is_err()
            && let Some(client) = begun_message(server)
            && !self.send_again(port, client)
        {
            received = Ok(Next::Restart);
        }
        self.complete(port, server, received)
    }

    /// Acknowledges the interrupt that a receive with these flags names, if it names one. `false` if it may not,
    /// or there is more to do than to unmask its line.
    #[inline(always)]
    fn acknowledges(&self, port: &impl Port, server: &'static Thread, flags: u32) -> bool {
        if !INTERRUPTS || flags & info::ACKNOWLEDGE == 0 {
            return true;
        }
        match self.attached(server, server.register(register::WORD3)) {
            Ok(interrupt) if !interrupt.pended.get() && !interrupt.is_limited() => {
                interrupt.unmask(port);
                true
            }
            _ => false,
        }
    }

    /// Waits for a message on the channel whose handle the call word holds.
    ///
    /// The room for the message is looked at when bytes are to be copied there, those of a message or of a proxy, and
    /// never before: whether the call finds them, or waits for them.
    pub(crate) fn receive(&self, port: &impl Port, server: &'static Thread) -> Result<Next, Error> {
        let channel = self.channel(server, server.register(register::CALL))?;
        let flags = server.register(register::INFO);
        if flags & !(info::DEADLINE | info::VECTOR | info::SELECT | ACKNOWLEDGE) != 0 {
            return Err(Error::BadArgument);
        }
        let acknowledged = if INTERRUPTS && flags & info::ACKNOWLEDGE != 0 {
            Some(self.attached(server, server.register(register::WORD3))?)
        } else {
            None
        };
        check_parts(port, server, flags)?;
        let selection = match begun_message(server) {
            // It waits for nobody else, who may be no more.
            Some(client) if selects(server, client, flags) => Some(Selection::Anyone),
            Some(client) if !self.send_again(port, client) => None,
            _ => self.selection(port, server, channel, flags)?,
        };
        let Some(selection) = selection else {
            return Ok(Next::Restart);
        };
        self.check_receivers(server, channel)?;
        let deadline = self.deadline_of(port, server, flags);
        let next = self.receive_checked(port, server, channel, selection, flags, deadline)?;
        // Only once it is certain that the call does not come again.
        if let Some(interrupt) = acknowledged
            && !matches!(next, Next::Restart)
        {
            self.unmask(port, interrupt);
        }
        Ok(next)
    }

    /// As [`Kernel::receive`], after everything about the call has been checked.
    pub(crate) fn receive_checked(
        &self,
        port: &impl Port,
        server: &'static Thread,
        channel: &'static Channel,
        selection: Selection,
        flags: u32,
        deadline: Option<u64>,
    ) -> Result<Next, Error> {
        let vector = flags & info::VECTOR != 0;
        if let Some(next) = self.take_waiting(port, server, channel, selection, vector)? {
            return Ok(next);
        }
        may_block(port, deadline)?;
        let mut request = server.request.get();
        request.vector = vector;
        server.request.set(request);
        server.selection.set(selection);
        self.bind(server, channel);
        let simple = matches!(selection, Selection::Anyone) && !vector && deadline.is_none();
        channel.add_receiver(server, simple && server.owes_nobody());
        self.limit(server, deadline);
        Ok(Next::Blocked)
    }

    /// Takes what waits already: a message that it has begun to take, then notices, then the first message that is
    /// selected.
    fn take_waiting(
        &self,
        port: &impl Port,
        server: &'static Thread,
        channel: &'static Channel,
        selection: Selection,
        vector: bool,
    ) -> Result<Option<Next>, Error> {
        if let Some(client) = begun_message(server) {
            let taken = self.take_begun(port, server, channel, client, vector);
            return taken.map(Some);
        }
        if matches!(selection, Selection::Anyone)
            && let Some(notice) = channel.notices.first()
        {
            let Some(again) = self.give_notice(port, server, notice, vector)? else {
                return Ok(Some(Next::Restart));
            };
            self.bind(server, channel);
            self.refresh(server);
            channel.notices.remove(notice);
            if again {
                channel.notices.push(notice);
            }
            channel.update_idle();
            return Ok(Some(Next::Continue));
        }
        wants_parts(server, vector);
        let taken = self.take_sender(port, server, channel, selection);
        wants_parts(server, false);
        taken
    }

    /// Copies the rest of the message of `client`, which waits for the answer already. If it is none any more, since the
    /// client is dead, it was no message to this channel, or the client has taken its own memory away, the call begins
    /// anew: it has not looked yet for whom else it is.
    #[inline(never)]
    fn take_begun(
        &self,
        port: &impl Port,
        server: &'static Thread,
        channel: &'static Channel,
        client: &'static Thread,
        vector: bool,
    ) -> Result<Next, Error> {
        if !client.process.is_alive() {
            self.unlink(port, client);
            return Ok(Next::Restart);
        }
        let sent_to = client.request.get().channel;
        if !sent_to.is_some_and(|sent_to| sent_to.is(channel)) {
            self.send_again(port, client);
            return Ok(Next::Restart);
        }
        wants_parts(server, vector);
        let copied = self.copy_message(port, server, client, server);
        wants_parts(server, false);
        match copied {
            Ok(Some(words)) => {
                forget_copy(server);
                tell_message(server, client, words);
                if client.is_late() {
                    self.ask_to_unblock(port, client);
                }
                // A signal that has come meanwhile is told of again, now that its server can be asked.
                // It may be the only one from now on.
                server.remove_client(client);
                self.adopt(client, server, false);
                if SIGNALS {
                    self.deliver_signal(port, client);
                }
                Ok(Next::Continue)
            }
            Ok(None) => Ok(Next::Restart),
            Err(Blame::Source) => {
                self.wake(port, client, Wake::Failed(Error::BadAddress));
                Ok(Next::Restart)
            }
            Err(Blame::Destination) if self.send_again(port, client) => Err(Error::BadAddress),
            Err(Blame::Destination) => Ok(Next::Restart),
        }
    }

    /// The server of `client` takes the message no more that it has begun to take: the client sends it again, perhaps
    /// to another receiver; unless its process has parted with its stack meanwhile. One that was handed on waits again.
    /// Whether that is done, or is to be done again ([`Kernel::send_relayed_again`]).
    fn send_again(&self, port: &impl Port, client: &'static Thread) -> bool {
        if self.was_relayed(client)
            && let Some(channel) = client.request.get().channel
        {
            return self.send_relayed_again(port, client, channel);
        }
        if client.may_repeat(port) {
            self.resume(port, client);
            self.repeat(port, client);
        } else {
            self.wake(port, client, Wake::Failed(Error::BadAddress));
        }
        true
    }

    fn take_sender(
        &self,
        port: &impl Port,
        server: &'static Thread,
        channel: &'static Channel,
        selection: Selection,
    ) -> Result<Option<Next>, Error> {
        loop {
            let client = match self.living_sender(port, channel, selection) {
                Ok(Some(client)) => client,
                Ok(None) => return Ok(None),
                Err(Interrupted) => return Ok(Some(Next::Restart)),
            };
            match self.deliver(port, server, client, server) {
                Ok(Delivery::Delivered) => return Ok(Some(Next::Continue)),
                Ok(Delivery::Begun | Delivery::Interrupted) => return Ok(Some(Next::Restart)),
                Ok(Delivery::ServerFailed) => return Err(Error::BadAddress),
                // The client's memory was taken from it while it waited: its own fault. Or the server
                // has no window for it.
                Err(error) => {
                    self.wake(port, client, Wake::Failed(error));
                    // Where no memory is moved none is taken, and nobody is told so.
                    if port.interrupted() || MEMORY_MESSAGES && self.gives_way(port, server) {
                        return Ok(Some(Next::Restart));
                    }
                }
            }
        }
    }

    /// Whose message comes next, of those that are selected: the dead before it wait no more. `Err` if an interrupt
    /// waits before that is known.
    fn living_sender(
        &self,
        port: &impl Port,
        channel: &'static Channel,
        selection: Selection,
    ) -> Result<Option<&'static Thread>, Interrupted> {
        loop {
            let sender = self.sender_for(port, channel, selection)?;
            let Some(dead) = sender.filter(|sender| !sender.process.is_alive()) else {
                return Ok(sender);
            };
            self.unlink(port, dead);
            if port.interrupted() {
                return Err(Interrupted);
            }
        }
    }

    fn sender_for(
        &self,
        port: &impl Port,
        channel: &'static Channel,
        selection: Selection,
    ) -> Result<Option<&'static Thread>, Interrupted> {
        match selection {
            Selection::Anyone => Ok(channel.senders.first()),
            Selection::Badge(badge) => channel.sender_with(port, badge),
            Selection::Thread(client) => {
                let sends_here = |sending: &Channel| sending.is(channel);
                Ok(client
                    .sending
                    .get()
                    .is_some_and(sends_here)
                    .then_some(client))
            }
        }
    }

    /// Hands `client`'s message to `server`, one of which is `caller`, the running thread; the
    /// other one may be blocked. All that can fail comes first.
    ///
    /// # Errors
    /// The client's memory is not its own, or there is no window for it; nothing has changed.
    pub(crate) fn deliver(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        client: &'static Thread,
        server: &'static Thread,
    ) -> Result<Delivery, Error> {
        let words = match client.form() {
            Form::Words => client.words(),
            form if form.carries_memory() => self.open_window(port, client, server)?,
            _ => match self.copy_message(port, caller, client, server) {
                Ok(Some(words)) => words,
                Ok(None) if have_met(caller, if caller.is(client) { server } else { client }) => {
                    if caller.is(client) && !server.may_repeat(port) {
                        return Ok(self.fail_server(port, caller, server));
                    }
                    self.begin_message(port, caller, client, server);
                    return Ok(Delivery::Begun);
                }
                Ok(None) => return Ok(Delivery::Interrupted),
                Err(Blame::Source) => return Err(Error::BadAddress),
                Err(Blame::Destination) => return Ok(self.fail_server(port, caller, server)),
            },
        };
        self.hand_over(client, server, words);
        Ok(Delivery::Delivered)
    }

    /// The room of `server`, or its stack, is not its own.
    fn fail_server(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        server: &'static Thread,
    ) -> Delivery {
        if !server.is(caller) {
            self.wake(port, server, Wake::Failed(Error::BadAddress));
        }
        Delivery::ServerFailed
    }

    /// Copies the message; returns what the server is told of it. `None`: an interrupt waits.
    fn copy_message(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        client: &'static Thread,
        server: &'static Thread,
    ) -> Result<Option<[u32; 5]>, Blame> {
        let from = message_buffer(client);
        let to = inward_buffer(port, server, server.request.get().vector);
        let (peer, stage) = if caller.is(client) {
            (server, Stage::Destination)
        } else {
            (client, Stage::Source)
        };
        if from.vector || to.vector {
            recall_checks(caller, peer, stage);
        }
        let offered = from
            .check(port, caller, Stage::Source, Access::Read)
            .map_err(|_| Blame::Source)?;
        let Checked::Length(offered) = offered else {
            keep_checks(caller, peer);
            return Ok(None);
        };
        let room = to
            .check(port, caller, Stage::Destination, Access::ReadWrite)
            .map_err(|_| Blame::Destination)?;
        let Checked::Length(room) = room else {
            keep_checks(caller, peer);
            return Ok(None);
        };
        let copy = Copy::new((&from, 0), (&to, 0), offered.min(room));
        let copied = match self.copy(port, caller, peer, copy)? {
            Copied::All(copied) => copied,
            Copied::Interrupted => return Ok(None),
        };
        client.registers[register::GENERATION].set(copied);
        Ok(Some([copied, offered, 0, 0, 0]))
    }

    /// An interrupt has cut the copy by `caller`, one of these, short. The message is the server's from now on, so that
    /// nothing that comes meanwhile makes the copy begin anew, and the server's thread does the rest, as urgent as
    /// the client: it executes its call again.
    #[inline(never)]
    pub(crate) fn begin_message(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        client: &'static Thread,
        server: &'static Thread,
    ) {
        if caller.is(client) {
            let copied = client.begun();
            receive_again(server);
            self.repeat(port, server);
            keep_copied(server, client, copied);
        }
        new_token(client);
        // As far as anybody has been told.
        client.registers[register::GENERATION].set(0);
        self.leave_to(client, server, true);
    }

    /// The point of no return of a message: nothing here can fail.
    pub(crate) fn hand_over(
        &self,
        client: &'static Thread,
        server: &'static Thread,
        words: [u32; 5],
    ) {
        forget_copy(server);
        forget_copy(client);
        new_token(client);
        tell_message(server, client, words);
        self.leave_to(client, server, false);
    }

    /// `client` waits for an answer of `server`, which waits no more. Its message may only have `begun`.
    #[inline(always)]
    fn leave_to(&self, client: &'static Thread, server: &'static Thread, begun: bool) {
        let taken_from = client.sending.get();
        if taken_from.is_none() {
            self.trace_send(client);
        }
        let badge = self.traced(|| client.request.get().badge);
        if let Some(channel) = taken_from {
            channel.dequeue(client);
            // The client waits all the time: if `server` leaves it as the only receiver of a channel, that
            // raises nobody.
            self.bind(server, channel);
            client.sending.set(None);
        }
        server.bound.get().remove_receiver(server);
        self.deadlines.remove(&server.deadline);
        server.selection.set(Selection::Anyone);
        server.doubt.set(None);
        wants_parts(server, false);
        self.adopt(client, server, begun);
        self.refresh(server);
        self.trace_receive(client, server, || badge);
        // The only receiver is the server.
        if let Some(channel) = taken_from.filter(|channel| !channel.has_one_receiver.get()) {
            self.refresh_servers(channel);
        }
    }

    /// Makes `client` one that `server` has to answer.
    fn adopt(&self, client: &'static Thread, server: &'static Thread, begun: bool) {
        client.server.set(Some(server));
        let request = client.request.get();
        let special = begun
            || request.limited
            || request.vector
            || request.accepts_handle
            || client.process.is_halted()
            || client.form().carries_memory()
            || !client.lends_priority()
            || server.has_dropped()
            // It has become the only one while it was a sender: it is answered by the general path, which
            // lets those who wait at its channel raise it.
            || client.is_lone_receiver();
        if server.owes_nobody() && !special {
            let serving = match client.form() {
                Form::Words => Serving::Words(client),
                _ => Serving::Bytes(client),
            };
            client.note_badge(request.badge);
            client.request.set(Request::NONE);
            return server.serving.set(serving);
        }
        server.add_client(client);
        server.serves.set(true);
    }

    /// The channel of its own that the low part of `word` names.
    pub(crate) fn channel(
        &self,
        thread: &'static Thread,
        word: u32,
    ) -> Result<&'static Channel, Error> {
        let handle = self.slot(thread.process, word)?;
        if handle.purpose != Purpose::Channel {
            return Err(Error::NotPermitted);
        }
        let channel = handle.target.get();
        if channel.handle != word & riposte_abi::call::HANDLE_MASK {
            return Err(Error::BadHandle);
        }
        Ok(channel)
    }

    /// Whom the call selects; `None` if an interrupt waits before that is known.
    fn selection(
        &self,
        port: &impl Port,
        server: &'static Thread,
        channel: &'static Channel,
        flags: u32,
    ) -> Result<Option<Selection>, Error> {
        if flags & info::SELECT == 0 {
            return Ok(Some(Selection::Anyone));
        }
        let [kind, first, generation, ..] = server.words();
        let index = (first >> info::THREAD_SHIFT & 0xFF) as usize;
        let (selection, badge, holder) = match kind {
            info::select::BADGE => (Selection::Badge(first), Some(first), None),
            info::select::TOKEN => {
                let client = self.tables.threads.get(index).ok_or(Error::PeerDied)?;
                (Selection::Thread(client), None, Some(client.process))
            }
            _ => return Err(Error::BadArgument),
        };
        let search = Search {
            channel,
            badge,
            named: first,
            holder,
            but: None,
        };
        let lives = match selection {
            Selection::Thread(client) if !client.lives() || !client.has_given(generation) => {
                Some(false)
            }
            Selection::Thread(client) if is_client_of(client, server, channel) => Some(true),
            Selection::Badge(_) => match self.living_sender(port, channel, selection) {
                // It waits already, whoever has the badge by now.
                Ok(Some(_)) => Some(true),
                Ok(None) => self.find_sender(port, server, &search),
                Err(Interrupted) => None,
            },
            _ => self.find_sender(port, server, &search),
        };
        if lives == Some(false) {
            return Err(Error::PeerDied);
        }
        if let (Selection::Thread(client), Some(true)) = (selection, lives) {
            client.choose();
        }
        Ok(lives.map(|_| selection))
    }

    /// Queues a notice, or gives it to somebody who waits.
    pub(crate) fn notify(
        &self,
        port: &impl Port,
        channel: &'static Channel,
        notice: &'static Notice,
    ) {
        if channel.owner.is_alive() && !self.give_to_waiting(port, channel, notice) {
            channel.queue_notice(notice);
        }
    }

    /// Gives a notice to a thread that waits for any message. Whether it has it.
    pub(crate) fn give_to_waiting(
        &self,
        port: &impl Port,
        channel: &'static Channel,
        notice: &'static Notice,
    ) -> bool {
        let Some(server) = waiting_for_any(channel) else {
            return false;
        };
        match self.give_notice(port, server, notice, server.request.get().vector) {
            Ok(Some(_)) if server.is_waiting_receiver() => self.end_wait(channel, server),
            Ok(Some(_)) => self.resume(port, server),
            Ok(None) => return false,
            // Its own fault; the notice is for the next one.
            Err(error) => {
                self.wake(port, server, Wake::Failed(error));
                return false;
            }
        }
        true
    }

    /// Notices wait at `channel`: if somebody waits for one, the rest of what an event does is to give them.
    pub(crate) fn give_later(&self, channel: &'static Channel) {
        if !channel.notices.is_empty() && waiting_for_any(channel).is_some() {
            self.stale.insert_channel(channel);
        }
    }

    /// Gives the first notice of `channel` to who waits for any message there: a step of many.
    #[inline(never)]
    pub(crate) fn give_next(&self, port: &impl Port, channel: &'static Channel) {
        if let Some(notice) = channel.notices.first()
            && self.give_to_waiting(port, channel, notice)
        {
            channel.notices.remove(notice);
            if self.is_to_be_told(notice) {
                channel.notices.push(notice);
            }
            channel.update_idle();
        }
        self.give_later(channel);
    }

    /// Tells `server` what the notice says. Whether the same is to be said once more: a proxy was
    /// triggered again; `None` if an interrupt waits before that is done, or there is nothing to say: it was of the dead.
    ///
    /// # Errors
    /// A proxy's message has to be copied, and the server's room is not its own; nothing has changed.
    fn give_notice(
        &self,
        port: &impl Port,
        server: &'static Thread,
        notice: &'static Notice,
        vector: bool,
    ) -> Result<Option<bool>, Error> {
        let (badge, words, (tag, generation)) = match notice.source {
            Source::ClientDied { process, slot } => {
                self.note_free_slot(process, slot);
                let handles = self.tables.handles.get(usize::from(process));
                let handle = handles.and_then(|handles| handles.get(usize::from(slot)));
                let badge = handle.map_or(0, |handle| handle.badge());
                let known = handle.filter(|handle| handle.is_of_known_client());
                let ends = match self.tables.processes.get(usize::from(process)) {
                    Some(process) if known.is_some() => process.record.count.get(),
                    _ => 0,
                };
                (badge, [notice::CLIENT_DIED, ends, 0, 0, 0], (0, 0))
            }
            Source::Unblock { thread } => {
                let client = self.tables.threads.get(usize::from(thread));
                // With its wait, its notice is gone.
                if client.is_some_and(|client| self.end_wait_of_dead(port, client)) {
                    return Ok(None);
                }
                let badge = client.map_or(0, |client| client.request.get().badge);
                let why = match client.is_some_and(Thread::is_late) {
                    true => notice::unblock::LATE,
                    false => notice::unblock::SIGNAL,
                };
                (
                    badge,
                    [notice::UNBLOCK, why, 0, 0, 0],
                    client.map_or((0, 0), Thread::token),
                )
            }
            Source::Fault { process } => (0, [notice::FAULT, u32::from(process), 0, 0, 0], (0, 0)),
            Source::Bits { channel } => (0, self.take_bits(channel), (0, 0)),
            Source::Proxy { process, number } if PROXIES => {
                return self.give_proxy(port, server, (process, number), vector);
            }
            Source::Proxy { .. } => (0, [0; 5], (0, 0)),
        };
        server.returns_words(badge, info::NOTICE | tag, words);
        server.registers[register::GENERATION].set(generation);
        self.trace_event(kind::NOTICE, server, || (words[0], [words[1], 0]));
        Ok(Some(false))
    }

    /// Whether `operation` answers before it waits.
    pub(crate) fn is_reply_receive(operation: u32) -> bool {
        (operation::REPLY_RECEIVE..=operation::REPLY_ERROR_RECEIVE).contains(&operation)
    }
}

/// Gives `client` a token that no message of it has had.
fn new_token(client: &'static Thread) {
    let (generation, wrapped) = client.generation.get().overflowing_add(1);
    client.generation.set(generation);
    if wrapped {
        let next = client.tag.get().wrapping_add(1 << info::HIGH_SHIFT);
        client.tag.set(next);
    }
}

/// The client whose message `server` has begun to take, if there is one: a copy has been cut short.
fn begun_message(server: &'static Thread) -> Option<&'static Thread> {
    let client = server.partner.get()?;
    let is_own = client.server.get().is_some_and(|own| own.is(server));
    (is_own && server.copies_in(operation::RECEIVE)).then_some(client)
}

impl Thread {
    /// Whether it waits for the answer to a message of which its server has not been told.
    pub(crate) fn has_only_begun(&'static self) -> bool {
        let begun = self.server.get().and_then(begun_message);
        begun.is_some_and(|client| client.is(self))
    }
}

/// Whether a receive of `server` with these flags is for messages of `client`.
fn selects(server: &'static Thread, client: &'static Thread, flags: u32) -> bool {
    let [kind, first, ..] = server.words();
    match (flags & info::SELECT != 0, kind) {
        (false, _) => true,
        (true, info::select::BADGE) => first == client.request.get().badge,
        (true, _) => first >> info::THREAD_SHIFT & 0xFF == client.index.into(),
    }
}

/// `server`, which waits for a message, is to execute its call again: what is left of that, if it was a reply too.
fn receive_again(server: &'static Thread) {
    let is_plain = matches!(server.selection.get(), Selection::Anyone)
        && !server.request.get().vector
        && !server.deadline.is_set();
    // Its registers are not known if it came by the register way, which takes no flags.
    let flags = if is_plain {
        0
    } else {
        server.register(register::INFO) & (info::DEADLINE | info::VECTOR | info::SELECT)
    };
    server.registers[register::CALL].set(word(operation::RECEIVE, server.bound.get().handle));
    server.registers[register::INFO].set(flags);
    server.checked.set(0);
}

/// The room of `server` for a message is a list of parts, or is none.
fn wants_parts(server: &'static Thread, vector: bool) {
    let mut request = server.request.get();
    request.vector = vector;
    server.request.set(request);
}

/// What the call of `server` returns: the message of `client`, one of those that it has to answer.
fn tell_message(server: &'static Thread, client: &'static Thread, words: [u32; 5]) {
    let sent = client.register(register::INFO) & info::LENGTH_MASK;
    let form = match client.form() {
        Form::Words => sent,
        form if form.carries_memory() => form.mark(),
        _ => info::BYTES,
    };
    let (tag, generation) = client.token();
    server.progress.set(0);
    server.returns_words(client.request.get().badge, form | tag, words);
    server.registers[register::GENERATION].set(generation);
}

/// The first thread that waits at `channel` for any message, and may run when it has one.
fn waiting_for_any(channel: &'static Channel) -> Option<&'static Thread> {
    channel.receivers().find(|server| {
        matches!(server.selection.get(), Selection::Anyone) && !server.process.is_halted()
    })
}

/// Room in parts has no more of them than there may be.
pub(crate) fn check_parts(port: &impl Port, thread: &Thread, flags: u32) -> Result<(), Error> {
    if flags & info::VECTOR != 0 && port.extra(thread, 3) > MAX_PARTS as u32 {
        return Err(Error::BadArgument);
    }
    Ok(())
}

/// Whether `client` waits to be received at `channel`, or for an answer of the process of `server`.
fn is_client_of(client: &Thread, server: &Thread, channel: &Channel) -> bool {
    client
        .sending
        .get()
        .is_some_and(|sending| sending.is(channel))
        || client
            .server
            .get()
            .is_some_and(|other| other.process.is(server.process))
}
