//! Invariants of threads, and of the lists on which they wait.

use core::{iter, ptr};

use crate::{
    Channel, Form, Kernel, List, Phase, Process, Queue, State, Thread,
    limits::{LEVELS, RUN_TIME_THREADS},
    sched::{
        queue::PriorityList,
        ready::Ready,
        thread::{Request, Selection, Serving},
    },
};

/// Where a thread waits.
enum Waits<'a> {
    On(&'a List),
    InOrder(&'a PriorityList),
}

/// A list has an end, and each of its `threads` waits on it: `is_it` knows it.
fn check_threads(
    kernel: &Kernel,
    threads: impl Iterator<Item = &'static Thread>,
    is_it: impl Fn(Waits<'_>) -> bool,
) {
    for (before, thread) in threads.enumerate() {
        assert!(before < kernel.tables.threads.len(), "a list without end");
        assert!(
            thread.list(kernel).is_some_and(&is_it),
            "thread {} is on a list where it does not wait",
            thread.index
        );
    }
}

impl PriorityList {
    /// Whoever is on it waits here, the most urgent one first, and each has its place in the tree.
    pub(crate) fn check(&self, kernel: &Kernel) {
        let is_it = |list: Waits<'_>| matches!(list, Waits::InOrder(list) if ptr::eq(list, self));
        check_threads(kernel, self.iter(), is_it);
        let priorities = self.iter().map(Thread::priority);
        assert!(priorities.is_sorted_by(|first, second| first >= second));
    }
}

impl List {
    /// Its links are right both ways, and whoever is on it waits here.
    pub(crate) fn check(&self, kernel: &Kernel) {
        let is_it = |list: Waits<'_>| matches!(list, Waits::On(list) if ptr::eq(list, self));
        check_threads(kernel, self.iter(), is_it);
        for thread in self.iter() {
            let next = thread.next.get().expect("the next thread of a list");
            assert!(
                next.previous
                    .get()
                    .is_some_and(|previous| previous.is(thread))
            );
        }
    }
}

impl Queue {
    /// Its words say which of its lists hold somebody.
    pub(crate) fn check(&self, kernel: &Kernel) {
        for (priority, level) in self.levels.iter().enumerate() {
            level.check(kernel);
            let (word, bit) = (priority / 32, priority % 32);
            let is_marked = self.words[word].get() >> bit & 1 != 0;
            assert_eq!(is_marked, level.first().is_some(), "level {priority}");
            let in_summary = self.summary.get() >> word & 1 != 0;
            assert!(LEVELS == 32 || in_summary == (self.words[word].get() != 0));
        }
    }
}

impl Ready {
    /// Each thread is at its priority, and the next one precedes all in the queue.
    pub(crate) fn check(&self, kernel: &Kernel) {
        self.queue.check(kernel);
        for (priority, level) in self.queue.levels.iter().enumerate() {
            assert!(
                level
                    .iter()
                    .all(|thread| usize::from(thread.priority.get()) == priority)
            );
        }
        if let Some(next) = self.next() {
            assert!(self.queue.top() <= Some(next.priority.get()));
            assert!(next.state() == State::Ready || next.process.leaves_work());
            assert!(!kernel.current.get().is(next));
        }
    }
}

impl Thread {
    /// Checks it, and those that wait for it.
    pub(crate) fn check(&'static self, kernel: &Kernel) {
        self.check_list(kernel);
        self.check_lives(kernel);
        self.check_clients(kernel);
        self.check_request();
        self.check_copy();
        self.check_loan();
        self.check_end();
        self.check_level();
        self.check_word(kernel);
        self.check_chain(kernel);
    }

    /// Where its state says that it waits. Some wait where nobody else can, and are on no list: the only client, the
    /// waiting receiver, the next thread.
    fn list<'a>(&'static self, kernel: &'a Kernel) -> Option<Waits<'a>> {
        match self.state() {
            State::Ready => {
                let is_first = kernel.ready.next().is_some_and(|next| next.is(self));
                let waits = !is_first && !kernel.current.get().is(self);
                waits.then(|| Waits::On(kernel.ready.queue().level(self.priority.get())))
            }
            State::SendBlocked => {
                let channel = self.sending.get()?;
                Some(Waits::On(channel.senders.level(channel.place(self))))
            }
            State::ReplyBlocked => {
                let server = self.server.get()?;
                let list = if self.lends_priority() {
                    Waits::InOrder(&server.clients)
                } else {
                    Waits::On(&server.guests)
                };
                matches!(server.serving.get(), Serving::Listed).then_some(list)
            }
            State::ReceiveBlocked => {
                (!self.is_waiting_receiver()).then_some(Waits::On(&self.bound.get().receivers))
            }
            State::FutexBlocked => {
                let first = kernel.words.at(self.wait()?).first()?;
                let place = first.place.first()?;
                match place.owner.get() {
                    _ if !first.is(self) => Some(Waits::InOrder(&place.rest)),
                    Some(owner) => Some(Waits::InOrder(&owner.place.first()?.lockers)),
                    None => None,
                }
            }
            // It stands for the end of its process or the hold of it, or is in the queue until that takes it away.
            State::Stopped if self.process.leaves_work() && !self.is_out(kernel) => {
                let is_first = kernel.ready.next().is_some_and(|next| next.is(self));
                (!is_first).then(|| Waits::On(kernel.ready.queue().level(self.priority.get())))
            }
            State::Joining | State::Sleeping | State::Signalled | State::Stopped => None,
        }
    }

    /// Whether it does not wait in the ready queue.
    fn is_out(&'static self, kernel: &Kernel) -> bool {
        kernel.current.get().is(self) || !kernel.ready.contains(self)
    }

    /// It is where its state says, and nowhere else.
    fn check_list(&'static self, kernel: &Kernel) {
        let (index, state) = (self.index, self.state());
        let list = self.list(kernel);
        assert_eq!(
            self.next.get().is_some(),
            list.is_some(),
            "links of {index}, {state:?}"
        );
        assert_eq!(self.previous.get().is_some(), list.is_some());
        let is_there = match list {
            None => true,
            Some(Waits::On(list)) => list.iter().any(|thread| thread.is(self)),
            Some(Waits::InOrder(list)) => list.iter().any(|thread| thread.is(self)),
        };
        assert!(is_there, "{index} is lost, {state:?}");
        let is_listed = state == State::ReceiveBlocked && !self.is_waiting_receiver();
        assert_eq!(self.waiting.get(), is_listed, "thread {index} is {state:?}");
    }

    /// Somebody who lives can wake it.
    fn check_lives(&'static self, kernel: &Kernel) {
        let (index, state) = (self.index, self.state());
        let lives = |thread: &'static Thread| {
            let halted = thread.process.held.get() || thread.process.is_dying();
            thread.state() != State::Stopped || halted
        };
        let may_run = self.process.leaves_traces() || state == State::Stopped || self.is_idle();
        assert!(may_run, "thread {index} of a dead process");
        if let Some(channel) = self.sending.get() {
            assert!(
                channel.owner.leaves_traces(),
                "thread {index} sends to a dead process"
            );
        }
        if let Some(other) = kernel.waits_for_thread(self) {
            assert!(lives(other), "thread {index} waits for a dead thread");
        }
        let never = state == State::Sleeping && !self.deadline.is_set();
        assert!(!never, "thread {index} sleeps for ever");
    }

    fn is_idle(&self) -> bool {
        self.base.get() == 0 && !self.is_spare()
    }

    /// The only client asks for nothing beyond its message; several are on the list.
    fn check_clients(&'static self, kernel: &Kernel) {
        let is_listed = matches!(self.serving.get(), Serving::Listed);
        let is_any = !self.clients.is_empty() || self.guests.first().is_some();
        assert_eq!(is_any, is_listed, "clients of {}", self.index);
        self.clients.check(kernel);
        self.guests.check(kernel);
        if let Some(place) = self.place.first() {
            place.lockers.check(kernel);
        }
        for client in self.clients() {
            assert!(client.server.get().is_some_and(|server| server.is(self)));
        }
        let Some(client) = self.only_client() else {
            return;
        };
        assert!(
            !self.has_lockers() && !self.has_dropped(),
            "the register way knows neither"
        );
        assert!(client.lends_priority() && !client.deadline.is_set());
        assert!(
            !client.process.held.get() || client.process.leaves_work(),
            "the register way resumes nobody who is held"
        );
        let is_right = match self.serving.get() {
            Serving::Words(_) => client.form() == Form::Words,
            Serving::Bytes(_) => client.form().is_copied(),
            _ => client.form().is_lent(),
        };
        assert!(
            is_right,
            "thread {} serves a message of another form",
            self.index
        );
    }

    /// Whether nothing is left of a request.
    pub(crate) fn requests_nothing(&self) -> bool {
        let Request {
            vector,
            accepts_handle,
            limited,
            badge,
            channel,
        } = self.request.get();
        let is_blank = !(vector || accepts_handle || limited) && badge == 0 && channel.is_none();
        let takes_any = matches!(self.selection.get(), Selection::Anyone);
        is_blank && takes_any && self.form() == Form::Words
    }

    /// A thread that is ready has neither request nor deadline.
    fn check_request(&'static self) {
        let (index, state) = (self.index, self.state());
        if state == State::Ready {
            assert!(
                self.requests_nothing(),
                "thread {index} is ready, its request is over"
            );
            assert!(
                !self.deadline.is_set(),
                "thread {index} is ready, its deadline is over"
            );
        }
        let is_late = self.unblock.is_queued() && state != State::ReplyBlocked;
        assert!(!is_late, "a notice of the past");
    }

    /// A copy has two sides, and only a thread that may go on has made progress, or one that is given a notice in steps.
    /// (What it has kept of a call from which it was led away is none of its present one.)
    fn check_copy(&'static self) {
        if let Some(partner) = self.partner.get() {
            assert!(partner.partner.get().is_some_and(|back| back.is(self)));
        }
        let is_side = self.partner.get().is_some_and(|it| !it.copies.get());
        assert!(
            !self.copies.get() || is_side,
            "a copy has one side that copies"
        );
        let halted = self.process.held.get() || self.process.is_dying();
        let may_go_on = matches!(self.state(), State::Ready | State::ReceiveBlocked) || halted;
        assert!(self.begun() == 0 || may_go_on, "progress of no call");
        // Only what comes in parts is given in steps.
        let waits_in_list = self.waiting.get() && !self.request.get().vector;
        assert!(
            !waits_in_list || self.progress.get() == 0,
            "progress of who waits for a message in one piece"
        );
    }

    /// Where it waits its process can write, and so can that of who owns the lock; and whoever unmaps it finds them.
    fn check_word(&'static self, kernel: &Kernel) {
        let waits = self.state() == State::FutexBlocked && self.lives();
        let Some(word) = self.word().filter(|_| waits) else {
            return;
        };
        let index = self.index;
        assert!(
            self.process.knows(word),
            "thread {index} waits unseen, or in memory of others"
        );
        if let Some(owner) = kernel.lock_owner(self).filter(|owner| owner.lives()) {
            assert!(
                owner.process.knows(word),
                "thread {index} waits for who has no such lock"
            );
        }
    }

    /// What it has lent is in a window of its server: in the first one, where the common reply looks, if it is
    /// the only client.
    fn check_loan(&'static self) {
        let Some(server) = self.server.get().filter(|_| self.form().is_lent()) else {
            return;
        };
        // The windows of the dying are emptied before their clients are told; and who serves the dying may have
        // answered.
        if server.process.is_dying() || self.process.is_dying() {
            return;
        }
        let mut windows = server.process.exchange.windows.iter();
        let place = windows.position(|window| window.is_lent_by(self));
        let is_only = server.only_client().is_some();
        assert!(
            place.is_some_and(|place| place == 0 || !is_only),
            "a loan of {}",
            self.index
        );
    }

    /// What it and another thread say of joining is the same; its phase is that of its state.
    fn check_end(&'static self) {
        if let Some(other) = self.joining() {
            assert!(other.joiner().is_some_and(|joiner| joiner.is(self)));
            let may_end = other.phase() == Phase::Joinable || self.process.is_dying();
            assert!(other.process.is(self.process) && may_end);
            assert_eq!(self.state(), State::Joining);
        }
        if let Some(joiner) = self.joiner() {
            assert!(joiner.joining().is_some_and(|joined| joined.is(self)));
        }
        let runs = matches!(self.phase(), Phase::Joinable | Phase::Detached);
        let stopped = self.state() == State::Stopped;
        // Where threads have no phase, one may wait for its process to start it.
        let has_phase = RUN_TIME_THREADS && !self.is_idle() && !self.process.is_halted();
        let is_right = runs != stopped || !has_phase;
        assert!(is_right, "thread {} is {:?}", self.index, self.phase());
    }

    /// A thread that has dropped a level is one below its priority, and has not blocked.
    fn check_level(&'static self) {
        let dropped = self.has_dropped();
        let was_ready = self.state() == State::Stopped && self.process.is_halted();
        let may_drop = self.state() == State::Ready || was_ready || self.process.held.get();
        assert!(may_drop || !dropped, "thread {} has blocked", self.index);
        let given = self.base.get() + u8::from(dropped) == self.level.priority.get();
        assert!(
            given,
            "thread {} has a priority that nobody gave it",
            self.index
        );
    }

    /// It does not wait for itself: for a reply, a lock, an end, or to be received by the only thread of a
    /// process. As long as it waits for nobody it is raised by those who wait where it is the only receiver.
    fn check_chain(&'static self, kernel: &Kernel) {
        let threads = kernel.tables.threads;
        let waits_for = |thread: &&'static Thread| {
            let channel = thread
                .sending
                .get()
                .filter(|channel| channel.owner.threads == 1);
            let sole = channel.map(|channel| &threads[usize::from(channel.owner.first_thread)]);
            kernel
                .waits_for_thread(thread)
                .or(thread.joining())
                .or(sole)
        };
        let chain = iter::successors(Some(self), waits_for).take(threads.len() + 1);
        assert!(
            chain.count() <= threads.len(),
            "thread {} waits for itself",
            self.index
        );
        let waits = self.sending.get().is_some() || kernel.waits_for_thread(self).is_some();
        assert!(
            waits || !self.is_lone_receiver(),
            "thread {} is the only receiver, and those who wait there do not raise it",
            self.index
        );
    }
}

impl Process {
    /// Its end goes on at the priority of everybody who waits for it, or a higher one.
    pub(crate) fn check_urgency(&'static self, kernel: &Kernel) {
        let (Some(worker), false) = (kernel.threads_of(self).first(), self.finds_priority()) else {
            return;
        };
        if !self.is_dying() || !kernel.stale.is_empty() {
            return;
        }
        let threads = kernel.threads_of(self).iter().map(Thread::lent);
        let channels = kernel.tables.channels.iter();
        let channels = channels.filter(|channel| channel.owner.is(self));
        let waiting = threads.chain(channels.map(Channel::urgency));
        let main = self.death.get().map(|death| death.beginning(worker));
        let most = waiting.max().flatten().max(main).unwrap_or(0);
        let own = worker.priority.get();
        assert!(
            own >= most,
            "process {} ends at {own}, and {most} waits for it",
            self.index
        );
    }

    /// Whether it has died or is held, and not all that follows from that is done.
    fn leaves_work(&self) -> bool {
        self.is_dying() || self.is_being_held()
    }

    /// Its spare threads that are free are on their list.
    pub(crate) fn check_spares(&self, kernel: &Kernel) {
        let Some(spares) = self.spares.first().filter(|_| self.alive.get()) else {
            return;
        };
        let next = |thread: &&'static Thread| thread.start.first()?.joining.get();
        let listed = || iter::successors(spares.get(), next).take(kernel.tables.threads.len());
        let is_free = |thread: &&Thread| thread.is_spare() && thread.phase() == Phase::Free;
        let free = || kernel.threads_of(self).iter().filter(is_free);
        assert_eq!(listed().count(), free().count());
        assert!(free().all(|thread| listed().any(|other| other.is(thread))));
    }
}
