//! The place in front of the ready queue.
//!
//! A thread that the fast path makes ready is mostly the next one to run. If it is more urgent than all
//! that are ready, it waits here, on no list, and is taken from here: the queue is as it would be
//! without it, and nobody changes the queue in the meantime. Everything but the fast path begins with
//! [`Kernel::settle`], and finds the queue complete.
//!
//! While a turn is running the place is empty: the fast path fills it only when none is, and turns are
//! planned elsewhere.

use crate::{Kernel, Thread};

impl Kernel {
    /// The ready thread that is not in [`Kernel::ready`], but more urgent than all there.
    #[must_use]
    #[inline(always)]
    pub fn foremost(&self) -> Option<&'static Thread> {
        self.foremost.get()
    }

    /// Puts the foremost thread into the queue.
    #[inline(always)]
    pub(crate) fn settle(&self) {
        if self.foremost.get().is_some() {
            self.settle_foremost();
        }
    }

    #[inline(never)]
    fn settle_foremost(&self) {
        if let Some(thread) = self.foremost.take() {
            self.ready.begin(thread.priority.get(), thread);
        }
    }

    /// Whether a thread of this priority, made ready, is the foremost one: then nobody else is. One that
    /// was, and is less urgent, goes to the queue.
    #[inline(always)]
    pub(crate) fn makes_room(&self, priority: u8) -> bool {
        match self.foremost.get() {
            None => !self.ready.holds_from(priority),
            Some(former) if former.priority.get() < priority => {
                self.ready.begin(former.priority.get(), former);
                true
            }
            Some(_) => false,
        }
    }

    /// Makes a thread ready that is on no queue, behind its equals. No turn is running.
    #[inline(always)]
    pub(crate) fn put_behind(&self, priority: u8, thread: &'static Thread) {
        if self.makes_room(priority) {
            self.foremost.set(Some(thread));
        } else {
            self.queue_behind(priority, thread);
        }
    }

    #[inline(never)]
    fn queue_behind(&self, priority: u8, thread: &'static Thread) {
        self.settle();
        self.ready.push_back(priority, thread);
    }

    /// Makes a thread ready that is on no queue, in front of its equals. No turn is running.
    #[inline(always)]
    pub(crate) fn put_in_front(&self, priority: u8, thread: &'static Thread) {
        if self.makes_room(priority) {
            self.foremost.set(Some(thread));
        } else {
            self.queue_in_front(priority, thread);
        }
    }

    #[inline(never)]
    fn queue_in_front(&self, priority: u8, thread: &'static Thread) {
        self.settle();
        self.ready.push_front(priority, thread);
    }

    /// Puts the running thread, of priority `priority`, behind the others of its priority. Returns the first
    /// of them, which runs now, if there is one and `may_run` agrees. There is no foremost thread.
    #[inline(always)]
    pub(crate) fn rotate(
        &self,
        priority: u8,
        thread: &'static Thread,
        may_run: impl Fn(&'static Thread) -> bool,
    ) -> Option<&'static Thread> {
        let level = self.ready.level(priority);
        let head = level.first().filter(|head| may_run(head))?;
        let (next, previous) = (head.next.get()?, head.previous.get()?);
        if next.is(head) {
            level.end(head);
            self.ready.unmark(priority);
            self.foremost.set(Some(thread));
        } else {
            level.rotate(head, next, previous, thread);
        }
        Some(head)
    }

    /// The next thread to run, if that is known at once: no turn is running then.
    #[inline(always)]
    pub(crate) fn take_foremost(
        &self,
        may_run: impl Fn(&'static Thread) -> bool,
    ) -> Option<&'static Thread> {
        let next = self.foremost.get().filter(|next| may_run(next))?;
        self.foremost.set(None);
        Some(next)
    }

    /// The next thread to run where [`Kernel::take_foremost`] finds none, unless a turn is running.
    #[inline(never)]
    pub(crate) fn take_next(
        &self,
        may_run: impl Fn(&'static Thread) -> bool,
    ) -> Option<&'static Thread> {
        self.take_next_here(may_run)
    }

    /// As [`Kernel::take_next`], in a function that does little else.
    #[inline(always)]
    pub(crate) fn take_next_here(
        &self,
        may_run: impl Fn(&'static Thread) -> bool,
    ) -> Option<&'static Thread> {
        // A foremost thread that may not run is still the next one.
        if self.foremost.get().is_some() || self.slicing() {
            return None;
        }
        self.ready.pop_if(may_run)
    }
}
