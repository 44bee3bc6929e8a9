//! Work of the kernel's own that takes longer than interrupts may wait: what follows from the death of a
//! process.
//!
//! The main thread of a dead process stands in the ready queue for the work, at the priority of the most
//! urgent thread for which it matters ([`crate::object::death`]). Whoever is more urgent runs first;
//! whoever is not finds the work done. When the main thread's turn comes, the dispatcher does a step of
//! the work, looks for interrupts, and goes on. If one waits, the idle thread is resumed, which the
//! interrupt stops at once, and the clock is told to interrupt, so that the idle thread does not sleep
//! should the other one have changed its mind.
//!
//! Meanwhile the dead are still linked to the living. The general path knows them by their process. The
//! fast paths do not look: who runs now has no handles there, and its client is in the list, so that they
//! refuse ([`Kernel::restrict`]); those that switch otherwise ask [`Kernel::slicing`].

use crate::{Kernel, Port, Thread, limits::HANDLES};

impl Kernel {
    /// Whether a process has died whose end is not finished.
    #[inline(always)]
    pub(crate) fn is_unfinished(&self) -> bool {
        self.unfinished.get() != 0
    }

    /// One more process is dying, or one less.
    pub(crate) fn count_unfinished(&self, count: u16) {
        self.unfinished.set(count);
        self.plan_paths();
    }

    /// Who may wake and switch follows from what is planned.
    pub(crate) fn plan_paths(&self) {
        self.general.set(self.turning.get() || self.is_unfinished());
    }

    /// Does what is to be done before `chosen` may run. Returns the thread to run: `chosen`, a more
    /// urgent one, or the idle one, if an interrupt waits.
    pub(crate) fn work(&self, port: &impl Port, mut chosen: &'static Thread) -> &'static Thread {
        // It goes before its equals, even before one that runs.
        if let Some(first) = self.ready.first()
            && first.is_burying()
            && !chosen.is_burying()
            && first.priority.get() >= chosen.priority.get()
        {
            self.ready.remove(first.priority.get(), first);
            self.ready.push_front(chosen.priority.get(), chosen);
            chosen = first;
        }
        while chosen.is_burying() {
            let worker = chosen;
            self.current.set(worker);
            let is_over = self.bury(port, worker);
            let priority = worker.priority.get();
            if is_over {
                chosen = self.ready.pop().unwrap_or(chosen);
            } else if self.ready.has_above(priority) {
                self.ready.push_front(priority, worker);
                chosen = self.ready.pop().unwrap_or(chosen);
            }
            if chosen.is_burying() && port.interrupted() {
                return self.await_interrupt(port, chosen);
            }
        }
        self.restrict(chosen);
        self.resume_with(port, chosen)
    }

    /// Whether the idle thread runs for a moment, though another one is next: an interrupt waits.
    #[must_use]
    pub fn awaits_interrupt(&self) -> bool {
        let is_idle = self
            .tables
            .threads
            .last()
            .is_some_and(|idle| idle.is(self.current.get()));
        let next = self.ready.first();
        is_idle && self.is_unfinished() && next.is_some_and(|next| next.is_burying())
    }

    /// An interrupt waits: the idle thread runs until it comes, though `worker` is next.
    fn await_interrupt(&self, port: &impl Port, worker: &'static Thread) -> &'static Thread {
        self.ready.push_front(worker.priority.get(), worker);
        let Some(idle) = self.tables.threads.last() else {
            return worker;
        };
        self.ready.remove(idle.priority.get(), idle);
        self.current.set(idle);
        let now = port.now();
        self.alarm.set(now);
        port.set_alarm(now);
        idle
    }

    /// `thread` runs while a death is unfinished: the fast paths refuse it.
    fn restrict(&self, thread: &'static Thread) {
        if self.is_unfinished()
            && let Some(none) = self.tables.handles.last()
        {
            thread.handles.set(none);
            thread.list_client();
        }
    }

    /// `thread` has come by the general path: when no death is unfinished, the fast paths may know its
    /// handles again.
    #[inline]
    pub(crate) fn relax(&self, thread: &'static Thread) {
        if !self.is_unfinished() && !thread.has_dropped() {
            thread.handles.set(self.own_handles(thread));
        }
    }

    #[inline]
    fn own_handles(&self, thread: &'static Thread) -> &'static [crate::Handle; HANDLES] {
        let own = usize::from(thread.process.index);
        self.tables
            .handles
            .get(own)
            .unwrap_or_else(|| thread.handles.get())
    }
}
