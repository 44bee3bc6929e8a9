//! Invariants of channels, handles and processes.

use riposte_abi::{is_process_badge, process_badge};

use crate::{
    Channel, Handle, Kernel, Order, Process, Purpose, Rights, Thread, Timer,
    object::{channel::Searched, handle::ShutBy, vacancy::Vacancy},
};

impl Channel {
    /// Checks it, and those that wait at it.
    pub(crate) fn check(&'static self, kernel: &Kernel) {
        self.senders.check(kernel);
        self.receivers.check(kernel);
        for receiver in self.receivers() {
            assert!(receiver.bound.get().is(self) && receiver.process.is(self.owner));
        }
        self.check_waiting_receiver();
        self.check_idle(kernel);
        assert_eq!(
            self.bits.get() != 0,
            self.notified.is_queued(),
            "bits of {}",
            self.index
        );
        self.check_order();
        self.check_searched();
    }

    /// Where a search for a badge goes on, none of those who have been looked at has it.
    fn check_searched(&self) {
        if let Some(Searched { badge, next }) = self.searched.get() {
            let mut passed = self.senders().take_while(|sender| !sender.is(next));
            assert!(passed.all(|sender| sender.request.get().badge != badge));
            assert!(self.senders().any(|sender| sender.is(next)));
        }
    }

    /// The senders are in the channel's order; and what it knows of the most urgent one is right.
    fn check_order(&self) {
        let priorities = self.senders().map(Thread::priority);
        if self.order == Order::Priority {
            assert!(self.by_priority.root.get().is_none());
            assert!({ priorities }.is_sorted_by(|first, second| first >= second));
            return;
        }
        assert_eq!(self.by_priority.top(), priorities.max());
        assert!(
            self.senders()
                .all(|sender| self.by_priority.contains(sender))
        );
    }

    /// The waiting receiver can be handed any message at once: nothing else waits, and it asks for nothing.
    fn check_waiting_receiver(&self) {
        let Some(receiver) = self.waiting_receiver.get() else {
            return;
        };
        assert!(self.receivers.first().is_none() && self.senders.is_empty());
        assert!(self.notices.is_empty() && self.is_idle());
        assert!(receiver.owes_nobody() && receiver.requests_nothing());
        let held = receiver.process.held.get() && !receiver.process.is_being_held();
        assert!(!receiver.deadline.is_set() && !held);
    }

    /// It is idle exactly if nothing waits; and nothing waits if a receiver would take it.
    fn check_idle(&self, kernel: &Kernel) {
        let something = !self.senders.is_empty() || !self.notices.is_empty();
        let waits = something || self.receivers.first().is_some();
        let may_wait = self.has_one_receiver.get() || self.all_receivers().count() != 1;
        let idle = !waits && self.fixed.is_none() && may_wait;
        assert_eq!(self.is_idle(), idle, "channel {}", self.index);
        if !kernel.stale.is_empty() {
            return;
        }
        let takes_any = |receiver: &'static Thread| {
            receiver.requests_nothing() && !receiver.process.is_halted()
        };
        let meets = something && self.receivers.iter().any(takes_any);
        assert!(
            !meets,
            "a receiver waits at {}, and so does what it would take",
            self.index
        );
    }

    /// Nothing waits at the channel that unused handles point to.
    pub(crate) fn check_unused(&self) {
        assert!(self.senders.is_empty() && self.receivers().next().is_none());
        assert!(self.notices.is_empty() && !self.is_idle() && self.bits.get() == 0);
    }
}

impl Handle {
    /// It leads from a process that lives to something that is there.
    fn check(&self, holder: &Process) {
        if self.is_open() && self.purpose != Purpose::Interrupt {
            assert!(holder.leaves_traces(), "a connection of the dead");
            assert!(
                self.target.get().owner.leaves_traces(),
                "a connection to the dead"
            );
        }
        if self.shut_by.get() == ShutBy::Client {
            let wants_to_know = self.target.get().notify_client_died;
            assert!(wants_to_know && self.purpose == Purpose::Connection);
            assert!(!self.is_open(), "it is open and shut");
        }
        if self.is_open() && is_process_badge(self.badge.get()) {
            let own = self.badge.get() == process_badge(holder.index);
            let is_given = self.purpose == Purpose::Spare;
            assert!(own, "a badge of another process");
            assert!(
                !is_given || self.rights.get() == Rights::NONE,
                "more than to send"
            );
        }
    }
}

impl Process {
    /// Where a search for a free place begins, none before is free; but for those of proxies that nobody can have again.
    fn check_vacancies(&self, kernel: &Kernel) {
        if !self.alive.get() {
            return;
        }
        let handles = kernel.handles_of(self);
        let taken = |free: &Vacancy| usize::from(free.first.get());
        let mut slots = handles.iter().take(taken(&self.free_slots));
        assert!(slots.all(|slot| !slot.is_free()));
        let mut proxies = self.objects.proxies.iter().take(taken(&self.free_proxies));
        assert!(proxies.all(|it| it.exists() || it.is_fixed() || it.is_worn_out()));
        let mut timers = self.objects.timers.iter().take(taken(&self.free_timers));
        assert!(timers.all(Timer::exists));
    }

    /// Checks it, and all that is its own.
    pub(crate) fn check(&'static self, kernel: &Kernel) {
        kernel
            .handles_of(self)
            .iter()
            .for_each(|handle| handle.check(self));
        let objects = self.objects;
        objects
            .proxies
            .iter()
            .for_each(|proxy| proxy.check(kernel, self));
        objects.timers.iter().for_each(|timer| timer.check(self));
        let rate: u32 = objects.timers.iter().map(Timer::rate).sum();
        assert_eq!(rate, self.timer_rate(), "a rate that no timers have");
        assert!(rate <= objects.timer_rate, "beyond the manifest");
        self.check_urgency(kernel);
        self.check_vacancies(kernel);
        self.check_spares(kernel);
        self.check_exchange(kernel);
    }
}
