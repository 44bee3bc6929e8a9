//! Priority inheritance.
//!
//! A blocked thread *lends* its priority to the threads that can unblock it: a client to its server, who
//! waits for a lock to its owner, who waits for a thread's end to that thread, and a client whose message
//! waits at a channel to the channel's only receiver, or, of several receivers, to those that serve a client.
//! The receivers of a channel are the threads that last received from it ([`Thread::bound`]).
//!
//! A thread that serves a client runs at the highest priority that is lent to it, even if that is lower than
//! its own. A thread that serves nobody runs at the higher one of that and its own, or its channel's fixed one.
//!
//! **No circle.** A thread that would lend to itself in the end is refused before it waits
//! ([`Kernel::check_chain`]). Whoever begins to borrow in another way runs just then, or waits for a message,
//! and so lends to nobody. Hence the priorities that follow from who waits for whom are unique, and a thread
//! whose priority is brought up to date with those of its lenders keeps no priority of a lender that is gone.
//!
//! **No long way.** An event brings a thread up to date, and one to which that lends. Whoever comes after those is kept in
//! [`Stale`], and has its turn after a look for interrupts, before any thread runs.

use core::cell::Cell;

use riposte_abi::{Error, trace::kind};

use crate::{Channel, Kernel, Port, State, Thread, ipc::lend::protect, limits::FUTEXES};

/// Words of a set of threads.
const WORDS: usize = 8;

state! {
/// A set of threads or channels, by their indices.
pub(crate) struct Set {
    words: [Cell<u32>; WORDS],
}
}

impl Set {
    pub(crate) const fn new() -> Self {
        Self {
            words: [const { Cell::new(0) }; WORDS],
        }
    }

    fn word(&self, index: u8) -> (&Cell<u32>, u32) {
        let word = &self.words[usize::from(index / 32) & (WORDS - 1)];
        (word, 1 << (index % 32))
    }

    /// Adds one. Whether it was not there.
    pub(crate) fn insert(&self, index: u8) -> bool {
        let (word, bit) = self.word(index);
        let before = word.get();
        word.set(before | bit);
        before & bit == 0
    }

    /// Adds those from `first` to `last`.
    fn insert_all(&self, first: u8, last: u8) {
        let (from, to) = (usize::from(first / 32), usize::from(last / 32));
        let mut bits = u32::MAX << (first % 32);
        for word in self.words.get(from..to).unwrap_or_default() {
            word.set(word.get() | bits);
            bits = u32::MAX;
        }
        let word = &self.words[to & (WORDS - 1)];
        word.set(word.get() | bits & u32::MAX >> (31 - last % 32));
    }

    /// Takes one out of the set.
    pub(crate) fn take(&self) -> Option<usize> {
        let (place, word) = (0..).zip(&self.words).find(|(_, word)| word.get() != 0)?;
        let bit = word.get().trailing_zeros();
        word.set(word.get() & (word.get() - 1));
        Some(place * 32 + bit as usize)
    }
}

state! {
/// What an event has left to be done before any thread runs.
pub(crate) struct Stale {
    /// The threads whose priority may have to change, because another one's has.
    threads: Set,
    /// The channels where notices wait, and so may threads that would take them.
    channels: Set,
    /// The threads whose protection does not show yet what windows and gaps of their processes do.
    images: Set,
    /// Some of those are left: they count as one.
    has_images: Cell<bool>,
    /// How many all of them are.
    count: Cell<u16>,
}
}

impl Stale {
    pub const fn new() -> Self {
        Self {
            threads: Set::new(),
            channels: Set::new(),
            images: Set::new(),
            has_images: Cell::new(false),
            count: Cell::new(0),
        }
    }

    /// Whether every priority is the one that follows from who waits for whom, and nobody waits for what is there.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count.get() == 0
    }

    fn insert(&self, thread: &Thread) {
        if self.threads.insert(thread.index) {
            self.count.set(self.count.get() + 1);
        }
    }

    /// Notices that wait at `channel` are to be given to who waits there.
    pub fn insert_channel(&self, channel: &Channel) {
        if self.channels.insert(channel.index) {
            self.count.set(self.count.get() + 1);
        }
    }

    /// What the threads from `first` to `last` may touch has changed, and their protection has not.
    pub fn insert_images(&self, first: &Thread, last: &Thread) {
        self.images.insert_all(first.index, last.index);
        if !self.has_images.replace(true) {
            self.count.set(self.count.get() + 1);
        }
    }

    fn take_image(&self) -> Option<usize> {
        let taken = self.images.take();
        if taken.is_none() && self.has_images.take() {
            self.count.set(self.count.get() - 1);
        }
        taken
    }

    fn take(&self, set: &Set) -> Option<usize> {
        let taken = set.take();
        if taken.is_some() {
            self.count.set(self.count.get() - 1);
        }
        taken
    }
}

/// The threads that a client would wait for, as far as they are known.
struct Open {
    client: &'static Thread,
    /// So many more it may wait for.
    left: Cell<u8>,
    met: Set,
    /// Those of whom it is not yet known for whom they wait.
    next: Set,
}

impl Open {
    /// Adds a thread. Each counts as soon as it is met, so that no more are looked at than may be.
    fn add(&self, thread: &'static Thread) -> Result<(), Error> {
        if thread.is(self.client) {
            return Err(Error::Deadlock);
        }
        if self.met.insert(thread.index) {
            let left = self.left.get().checked_sub(1);
            self.left.set(left.ok_or(Error::Deadlock)?);
            self.next.insert(thread.index);
        }
        Ok(())
    }
}

impl Channel {
    /// Whether those whose messages wait here raise `thread`, one of its receivers.
    #[inline]
    fn raises(&self, thread: &Thread) -> bool {
        self.has_one_receiver.get() || thread.serves_its_channel()
    }

    /// The only thread that last received from here.
    pub(crate) fn only_receiver(&self) -> Option<&'static Thread> {
        let first = self.first_receiver.get()?;
        first.next_receiver.get().is_none().then_some(first)
    }

    /// The threads that last received from here.
    pub fn all_receivers(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        core::iter::successors(self.first_receiver.get(), |thread| {
            thread.next_receiver.get()
        })
    }
}

impl Thread {
    /// Whether it serves a client of the channel from which it last received.
    #[must_use]
    #[inline]
    pub fn serves_its_channel(&self) -> bool {
        self.serves.get() || self.only_client().is_some()
    }

    /// Whether it is the only one that last received from its channel, and the channel does not know yet.
    pub(crate) fn is_lone_receiver(&self) -> bool {
        let channel = self.bound.get();
        !channel.has_one_receiver.get() && channel.only_receiver().is_some()
    }

    /// The highest priority that is lent to it by its clients, and by those who wait for a lock of its, or for its end.
    pub(crate) fn lent(&self) -> Option<u8> {
        let client = self.only_client().map(Thread::priority);
        client
            .or_else(|| self.clients.top())
            .max(self.lent_besides())
    }

    /// The highest priority that is lent to it by those who wait for a lock of its, or for its end.
    #[inline]
    fn lent_besides(&self) -> Option<u8> {
        let locker = self.first_locker().map(Thread::priority);
        locker.max(self.joiner().map(Thread::priority))
    }
}

impl Kernel {
    /// The priority that follows from the thread's own, and from those of its lenders.
    fn due_priority(&self, thread: &Thread) -> u8 {
        let bound = thread.bound.get();
        let mut priority = match thread.only_client() {
            // An only client always lends its priority.
            Some(client) => client.priority(),
            None => match thread.clients.top() {
                Some(lent) => lent,
                None => bound.fixed.unwrap_or(thread.base.get()),
            },
        };
        if bound.raises(thread)
            && let Some(waiting) = bound.waiting_priority()
        {
            priority = priority.max(waiting);
        }
        priority.max(thread.lent_besides().unwrap_or(0))
    }

    /// Brings a thread's priority up to date, and that of the thread to which it lends. The next one, and several ones to
    /// which it lends, are stale from now on.
    pub(crate) fn refresh(&self, thread: &'static Thread) {
        let Some(next) = self.bring_up_to_date(thread) else {
            return;
        };
        // Its place at a word takes three walks to find.
        let last = match next.wait() {
            Some(_) => Some(next),
            None => self.bring_up_to_date(next),
        };
        last.inspect(|last| self.stale.insert(last));
    }

    /// What waits for the dead raises the work that their end is, not only those whom the dead wait for.
    #[cold]
    #[inline(never)]
    fn hasten_for(&self, thread: &'static Thread) {
        if thread.process.is_dying() {
            self.hasten(thread.process, thread.lent().unwrap_or(0));
        }
    }

    /// The same for those who wait to be received.
    #[cold]
    #[inline(never)]
    fn hasten_at(&self, channel: &'static Channel) {
        self.hasten(channel.owner, channel.waiting_priority().unwrap_or(0));
    }

    /// Brings a thread's priority up to date. Returns the thread to which it lends, if that may have to follow.
    fn bring_up_to_date(&self, thread: &'static Thread) -> Option<&'static Thread> {
        if self.is_unfinished() {
            self.hasten_for(thread);
        }
        let priority = self.due_priority(thread);
        if priority == thread.priority.get() {
            return None;
        }
        self.change_priority(thread, priority)
    }

    /// Brings `thread` up to date, which somebody of this priority waits for from now on, by a lock or its end.
    #[inline(always)]
    pub(crate) fn lend(&self, thread: &'static Thread, priority: u8) {
        if thread.priority.get() < priority {
            self.refresh(thread);
        }
    }

    /// Brings the only receiver of a channel up to date, after what waits there has changed. Several ones are stale from
    /// now on.
    pub(crate) fn refresh_servers(&self, channel: &'static Channel) {
        if let Some(only) = self.lend_to_servers(channel) {
            self.refresh(only);
        }
    }

    /// Returns the only receiver of a channel; several ones are stale from now on.
    #[inline]
    fn lend_to_servers(&self, channel: &'static Channel) -> Option<&'static Thread> {
        if channel.has_one_receiver.get() {
            return channel.first_receiver.get();
        }
        let servers = channel.all_receivers();
        servers
            .filter(|receiver| receiver.serves_its_channel())
            .for_each(|receiver| self.stale.insert(receiver));
        None
    }

    #[inline(never)]
    fn change_priority(&self, thread: &'static Thread, priority: u8) -> Option<&'static Thread> {
        // The priority of a thread that waits for a message is brought up to date with its wake. One that was
        // ready when its process died may still be in the queue, at the priority that it had: its end looks
        // for it there, behind what stands for that end.
        if matches!(thread.state(), State::ReceiveBlocked | State::Stopped) {
            return None;
        }
        let before = self.traced(|| thread.priority.get().into());
        self.set_priority(thread, priority);
        self.trace_event(kind::PRIORITY, thread, || (before, [0; 2]));
        match thread.sending.get() {
            Some(channel) => {
                if self.is_unfinished() {
                    self.hasten_at(channel);
                }
                self.lend_to_servers(channel)
            }
            None => self.waits_for_thread(thread),
        }
    }

    /// Goes on with priorities that an event has left stale, until an interrupt waits: it is taken before any
    /// thread goes on, and comes here again.
    #[inline(always)]
    pub(crate) fn refresh_stale(&self, port: &impl Port) {
        if !self.stale.is_empty() {
            self.refresh_all_stale(port);
        }
    }

    #[inline(never)]
    fn refresh_all_stale(&self, port: &impl Port) {
        while !self.stale.is_empty() && !port.interrupted() {
            self.refresh_one_stale(port);
        }
        // The interrupt may change its mind: the clock is asked for one, too.
        if !self.stale.is_empty() {
            self.deadlines.replan.set(true);
        }
    }

    /// A step of what an event has left.
    #[inline(never)]
    pub(crate) fn refresh_one_stale(&self, port: &impl Port) {
        let threads = &self.tables.threads;
        if let Some(thread) = self.stale.take(&self.stale.threads) {
            threads.get(thread).inspect(|thread| self.refresh(thread));
        } else if let Some(channel) = self.stale.take(&self.stale.channels) {
            let channel = self.tables.channels.get(channel);
            channel.inspect(|channel| self.give_next(port, channel));
        } else if let Some(thread) = self.stale.take_image() {
            threads.get(thread).inspect(|thread| protect(port, thread));
        }
    }

    /// Gives a thread another priority, and the place that it then has where it waits.
    fn set_priority(&self, thread: &'static Thread, priority: u8) {
        let is_ready = || thread.state() == State::Ready && self.ready.contains(thread);
        match (thread.server.get(), thread.sending.get()) {
            // Who lends nothing is in no order, an only client in no list.
            (Some(server), _) if thread.next.get().is_some() && thread.lends_priority() => {
                server.clients.set_priority(thread, priority);
            }
            (None, Some(channel)) => channel.set_priority(thread, priority),
            (None, None) if is_ready() => self.ready.set_priority(thread, priority),
            _ => match thread.wait() {
                Some(wait) => self.set_priority_at(wait, thread, priority),
                None => thread.priority.set(priority),
            },
        }
    }

    /// Refuses that `client` sends to `channel` and waits if a thread that it then waits for waits for
    /// `client` in the end, or they are too many. Whether that is known: if an interrupt waits, the call of `caller`, which
    /// is mostly the client itself, comes again. Without a caller it looks for none.
    pub(crate) fn check_cycle(
        &self,
        port: &impl Port,
        caller: Option<&'static Thread>,
        client: &'static Thread,
        channel: &'static Channel,
    ) -> Result<bool, Error> {
        match self.only_server(channel) {
            Some(only) => self.check_chain(port, caller, client, only),
            None => self.check_all(port, caller, client, channel, self.tables.depth),
        }
    }

    /// Refuses that `client` waits for `first` if that waits for `client` in the end, or they are too many.
    /// Each thread that it waits for, and that those wait for, and so on, counts once;
    /// [`crate::Tables::depth`] is how many there may be. Whether that is known: if an interrupt waits, the call comes
    /// again.
    pub(crate) fn check_chain(
        &self,
        port: &impl Port,
        caller: Option<&'static Thread>,
        client: &'static Thread,
        first: &'static Thread,
    ) -> Result<bool, Error> {
        let mut left = self.tables.depth;
        let mut is_second = false;
        let mut next = Some(first);
        while let Some(thread) = next {
            if thread.is(client) || left == 0 {
                return self.refuse_chain(port, first);
            }
            left -= 1;
            // Where there are no locks each is found at once.
            is_second = !is_second;
            if FUTEXES != 0 && !is_second && self.chain_is_cut_short(port, caller, left) {
                return Ok(false);
            }
            next = match thread.sending.get() {
                None => self.waits_for_thread(thread),
                Some(channel) => match self.only_server(channel) {
                    // Nobody waits for itself: none of those that were met is met again.
                    None => {
                        let known = self.check_all(port, caller, client, channel, left);
                        return known.or_else(|_| self.refuse_chain(port, first));
                    }
                    only => only,
                },
            };
        }
        Ok(true)
    }

    /// A chain that begins with `first` leads back, or is too long: unless one of the dead is in it, who waits for nobody and is
    /// taken from where it did. Then the call comes again.
    #[cold]
    #[inline(never)]
    fn refuse_chain(&self, port: &impl Port, first: &'static Thread) -> Result<bool, Error> {
        let mut next = Some(first).filter(|_| self.is_unfinished());
        for _ in 0..=self.tables.depth {
            let Some(thread) = next else { break };
            if self.end_wait_of_dead(port, thread) {
                return Ok(false);
            }
            next = match thread.sending.get() {
                None => self.waits_for_thread(thread),
                Some(channel) => self.only_server(channel),
            };
        }
        Err(Error::Deadlock)
    }

    /// Whether `thread` is dead, and has waited for somebody until now.
    pub(crate) fn end_wait_of_dead(&self, port: &impl Port, thread: &'static Thread) -> bool {
        let waits = || thread.sending.get().is_some() || self.waits_for_thread(thread).is_some();
        let waited = !thread.process.is_alive() && waits();
        if waited {
            Self::leave_loan(thread);
            self.unlink(port, thread);
        }
        waited
    }

    /// To find the owner of a lock that another one waits for as well takes a walk: after every second thread that is met
    /// it looks for interrupts. Others may change who waits for whom before the call comes again, so that it begins anew
    /// then, and looks once less.
    #[cold]
    #[inline(never)]
    fn chain_is_cut_short(
        &self,
        port: &impl Port,
        caller: Option<&'static Thread>,
        left: u8,
    ) -> bool {
        let met = u32::from(self.tables.depth - left);
        let cut_short = caller.filter(|caller| port.interrupted() && met > caller.begun());
        cut_short.inspect(|caller| caller.keep_progress(met));
        cut_short.is_some()
    }

    /// As [`Kernel::check_cycle`], for a channel with several servers or none. So many threads are `left` that may
    /// be waited for.
    #[inline(never)]
    fn check_all(
        &self,
        port: &impl Port,
        caller: Option<&'static Thread>,
        client: &'static Thread,
        channel: &'static Channel,
        left: u8,
    ) -> Result<bool, Error> {
        if channel.first_receiver.get().is_none() {
            return Ok(true);
        }
        let open = Open {
            client,
            left: Cell::new(left),
            met: Set::new(),
            next: Set::new(),
        };
        let known = self.follow_all(port, caller, channel, &open);
        known.or_else(|_| self.refuse_all(port, &open))
    }

    /// Meets all that the client would wait for. Before each of them it looks for interrupts: others may change who waits for
    /// whom before the call comes again, so that it begins anew then, and looks once less.
    fn follow_all(
        &self,
        port: &impl Port,
        caller: Option<&'static Thread>,
        channel: &'static Channel,
        open: &Open,
    ) -> Result<bool, Error> {
        // What has led here counts, too.
        let mut met = u32::from(self.tables.depth - open.left.get());
        self.open_servers(open, channel)?;
        let without_a_look = caller.map_or(u32::MAX, Thread::begun);
        while let Some(index) = open.next.take() {
            let Some(thread) = self.tables.threads.get(index) else {
                break;
            };
            met += 1;
            if met > without_a_look && port.interrupted() {
                caller.inspect(|caller| caller.keep_progress(met));
                return Ok(false);
            }
            if let Some(channel) = thread.sending.get() {
                self.open_servers(open, channel)?;
            } else if let Some(other) = self.waits_for_thread(thread) {
                open.add(other)?;
            }
        }
        Ok(true)
    }

    /// As [`Kernel::refuse_chain`], of all that were met.
    #[cold]
    #[inline(never)]
    fn refuse_all(&self, port: &impl Port, open: &Open) -> Result<bool, Error> {
        let threads = core::iter::from_fn(|| open.met.take());
        let mut met = threads.filter_map(|index| self.tables.threads.get(index));
        let freed = self.is_unfinished() && met.any(|thread| self.end_wait_of_dead(port, thread));
        if freed {
            Ok(false)
        } else {
            Err(Error::Deadlock)
        }
    }

    /// The one thread that a client waits for while its message waits at `channel`, if it is known at once: the
    /// only one of a process, whatever it last did, or the channel's only receiver.
    fn only_server(&self, channel: &'static Channel) -> Option<&'static Thread> {
        if let [only] = self.threads_of(channel.owner) {
            return Some(only);
        }
        let only = channel.first_receiver.get();
        only.filter(|_| channel.has_one_receiver.get())
    }

    /// Adds the threads that a client waits for while its message waits at `channel`.
    fn open_servers(&self, open: &Open, channel: &'static Channel) -> Result<(), Error> {
        if let Some(only) = self.only_server(channel) {
            return open.add(only);
        }
        let mut servers = channel.all_receivers();
        servers.try_for_each(|receiver| match receiver.serves_its_channel() {
            true => open.add(receiver),
            false => Ok(()),
        })
    }

    /// Refuses that `server` receives from a channel that has as many receivers as it may.
    pub(crate) fn check_receivers(
        &self,
        server: &'static Thread,
        channel: &'static Channel,
    ) -> Result<(), Error> {
        let is_new = !server.bound.get().is(channel);
        if is_new && channel.all_receivers().count() >= usize::from(self.tables.depth) {
            return Err(Error::Exhausted);
        }
        Ok(())
    }

    /// `server`, which waits for nobody, is a receiver of `channel` from now on, and of no other one. Its priority is to
    /// be brought up to date: if it is the only one, those whose messages wait there raise it.
    pub(crate) fn bind(&self, server: &'static Thread, channel: &'static Channel) {
        if server.bound.get().is(channel) {
            return;
        }
        // Whom it serves already is no client of this channel.
        server.list_client();
        self.unbind(server);
        server.bound.set(channel);
        let before = channel.first_receiver.replace(Some(server));
        server.next_receiver.set(before);
        if let Some(before) = before.filter(|_| channel.has_one_receiver.replace(false)) {
            self.refresh(before);
        }
        self.find_one_receiver(channel);
    }

    /// `server` is no channel's receiver.
    pub(crate) fn unbind(&self, server: &'static Thread) {
        let channel = server.bound.replace(self.tables.nowhere);
        let next = server.next_receiver.take();
        server.serves.set(false);
        let mut place = &channel.first_receiver;
        while let Some(receiver) = place.get() {
            if receiver.is(server) {
                place.set(next);
                channel.has_one_receiver.set(false);
                self.look_for_one_receiver(channel);
                return;
            }
            place = &receiver.next_receiver;
        }
    }

    /// `thread` waits for nobody any more. If it is the only receiver of a channel, it borrows from all who wait
    /// there, from now on at the latest.
    #[inline(always)]
    pub(crate) fn look_for_senders(&self, thread: &'static Thread) {
        let channel = thread.bound.get();
        if !channel.has_one_receiver.get() && channel.first_receiver.get().is_some() {
            self.look_for_one_receiver(channel);
        }
    }

    /// If a channel has one receiver, that borrows from all who wait there from now on, unless it waits for
    /// somebody: they might wait for each other. Then it does so when it goes on, by the general path.
    #[inline(never)]
    fn look_for_one_receiver(&self, channel: &'static Channel) {
        if let Some(only) = self.find_one_receiver(channel) {
            self.refresh(only);
        }
    }

    /// As [`Kernel::look_for_one_receiver`]. Returns the receiver, if its priority is to be brought up to date.
    #[inline(never)]
    fn find_one_receiver(&self, channel: &'static Channel) -> Option<&'static Thread> {
        let only = channel.only_receiver();
        let free = only
            .filter(|only| self.waits_for_thread(only).is_none() && only.sending.get().is_none());
        if free.is_some() {
            channel.has_one_receiver.set(true);
        } else if let Some(server) = only.and_then(|only| only.server.get()) {
            server.list_client();
        }
        channel.update_idle();
        free
    }
}
