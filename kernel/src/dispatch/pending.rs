//! Work of the kernel's own that takes longer than interrupts may wait: what follows from the death of a
//! process, or when one is held.
//!
//! The main thread of a dead process stands in the ready queue for the work, at the priority of the most
//! urgent thread that waits for it ([`crate::object::death`]). Whoever is more urgent runs first; the
//! work goes before everybody else, its equals included. When the main thread is the next to run, the
//! dispatcher looks for interrupts, does a step of the work, and goes on. If one waits, the idle thread is
//! resumed, which the interrupt stops at once; and the clock is told to interrupt, so that the idle thread
//! does not sleep should the other one have changed its mind.
//!
//! Meanwhile the dead are still linked to the living. The general path knows them by their process. The
//! paths for a message to who waits, and for a reply to the only client, do not look: who runs now has no
//! handles there, and its client is in the list, so that they refuse ([`Kernel::restrict`]).

use crate::{
    Handle, Kernel, Port, Thread,
    limits::{HANDLES, SIGNALS},
};

impl Kernel {
    /// Whether a process has died or is held, and not all that follows is done.
    #[inline(always)]
    pub(crate) fn is_unfinished(&self) -> bool {
        self.unfinished.get() != 0
    }

    /// So many processes are dying: each time that a thread is about to run, they come first.
    pub(crate) fn count_unfinished(&self, count: u16) {
        self.unfinished.set(count);
        self.deadlines.replan.set(true);
    }

    /// Does what is to be done before `chosen` may run. Returns the thread that does: `chosen`, a more
    /// urgent one, or the idle one, if an interrupt waits.
    #[inline(never)]
    pub(crate) fn work(
        &self,
        port: &impl Port,
        chosen: &'static Thread,
        gave_up: bool,
    ) -> &'static Thread {
        let mut chosen = chosen;
        let mut gave_up = gave_up;
        // What has led here may have taken long, but for an interrupt for which the idle thread ran: so each interrupt is
        // followed by a step, however many wait.
        let mut looks = !self.is_idle(self.current.get());
        loop {
            if self.is_unfinished() {
                if gave_up && self.has_slices() {
                    self.end_slice_of(port, self.current.get());
                    gave_up = false;
                }
                chosen = self.unless_burying(chosen);
                while chosen.is_burying() {
                    if looks && port.interrupted() {
                        return self.await_interrupt(port, chosen);
                    }
                    looks = true;
                    self.current.set(chosen);
                    chosen = self.next_after_step(port, chosen);
                }
                self.restrict(chosen);
            }
            if !SIGNALS || !chosen.is_summoned() {
                break;
            }
            if looks && port.interrupted() {
                return self.await_interrupt(port, chosen);
            }
            looks = true;
            chosen = self.deliver_to_next(port, chosen);
        }
        self.plan(port, chosen, gave_up);
        self.current.set(chosen);
        chosen
    }

    /// `chosen`, or the work that goes before its equals: then `chosen` keeps the head of its level.
    fn unless_burying(&self, chosen: &'static Thread) -> &'static Thread {
        let precedes =
            |first: &&'static Thread| first.is_burying() && first.priority() >= chosen.priority();
        match self.ready.first().filter(precedes) {
            Some(first) if !chosen.is_burying() => {
                self.ready.remove(first);
                self.ready.push_front(chosen);
                first
            }
            _ => chosen,
        }
    }

    /// A step of the work for which `worker` stands. Returns who is next: the worker again, if there is
    /// more to do, and nobody is more urgent.
    fn next_after_step(&self, port: &impl Port, worker: &'static Thread) -> &'static Thread {
        let is_done = if worker.is_holding() {
            self.hold_on(port, worker)
        } else {
            self.bury(port, worker)
        };
        // It has let another one go first.
        let gives_way = self.ready.contains(worker);
        if is_done || gives_way {
            self.refresh_stale(port);
            return self.ready.pop().unwrap_or(worker);
        }
        self.refresh_stale(port);
        self.ready.most_urgent(worker)
    }

    /// Whether the idle thread runs for a moment, though another one is next: an interrupt waits.
    #[must_use]
    pub fn awaits_interrupt(&self) -> bool {
        let is_idle = self.is_idle(self.current.get());
        let waits = |first: &Thread| first.is_burying() || first.is_summoned();
        is_idle && self.ready.first().is_some_and(waits)
    }

    /// Whether the work that is next goes before everybody: it is not known yet who waits for the dead.
    #[must_use]
    pub fn goes_before_everybody(&self) -> bool {
        let first = self.ready.first().filter(|first| first.is_burying());
        first.is_some_and(|first| first.process.finds_priority())
    }

    /// Whether `thread` is the one that runs when no other one is ready.
    #[must_use]
    pub fn is_idle(&self, thread: &Thread) -> bool {
        let idle = self.tables.threads.last();
        idle.is_some_and(|idle| idle.is(thread))
    }

    /// An interrupt waits: the idle thread runs until it comes, though `chosen` is next.
    fn await_interrupt(&self, port: &impl Port, chosen: &'static Thread) -> &'static Thread {
        self.ready.push_front(chosen);
        let Some(idle) = self.tables.threads.last() else {
            return chosen;
        };
        self.ready.remove(idle);
        self.current.set(idle);
        self.interrupt_at_once(port);
        idle
    }

    /// `thread` runs while a death is unfinished: no path knows its handles, or its client, without a look
    /// at whose they are.
    fn restrict(&self, thread: &'static Thread) {
        if self.is_unfinished()
            && let Some(none) = self.tables.handles.last()
        {
            thread.handles.set(none);
            thread.list_client();
        }
    }

    /// `thread` sends, notifies or triggers by the general path: when no death is unfinished, its handles may be known elsewhere
    /// again.
    #[inline]
    pub(crate) fn relax(&self, thread: &'static Thread) {
        if !self.is_unfinished() && !thread.has_dropped() {
            thread.handles.set(self.own_handles(thread));
        }
    }

    /// Whether no short way knows the handles of its process.
    #[cfg(debug_assertions)]
    pub fn keeps_to_general_cases(&self, thread: &'static Thread) -> bool {
        !core::ptr::eq(thread.handles.get(), self.own_handles(thread))
    }

    #[inline]
    fn own_handles(&self, thread: &'static Thread) -> &'static [Handle; HANDLES] {
        let own = usize::from(thread.process.index);
        let own = self.tables.handles.get(own);
        own.unwrap_or_else(|| thread.handles.get())
    }
}
