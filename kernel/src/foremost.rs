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
            self.ready.push_back(thread.rank.get(), thread);
        }
    }

    /// Whether a thread of this priority, made ready, would be the foremost one.
    #[inline(always)]
    pub(crate) fn has_room(&self, rank: u8) -> bool {
        self.foremost.get().is_none() && !self.ready.holds_from(rank)
    }

    /// Makes a thread ready that is on no queue, behind its equals. No turn is running.
    #[inline(always)]
    pub(crate) fn put_behind(&self, rank: u8, thread: &'static Thread) {
        if self.has_room(rank) {
            self.foremost.set(Some(thread));
        } else {
            self.queue_behind(rank, thread);
        }
    }

    #[inline(never)]
    fn queue_behind(&self, rank: u8, thread: &'static Thread) {
        self.settle();
        self.ready.push_back(rank, thread);
    }

    /// Makes a thread ready that is on no queue, in front of its equals. No turn is running.
    #[inline(always)]
    pub(crate) fn put_in_front(&self, rank: u8, thread: &'static Thread) {
        if self.has_room(rank) {
            self.foremost.set(Some(thread));
        } else {
            self.queue_in_front(rank, thread);
        }
    }

    #[inline(never)]
    fn queue_in_front(&self, rank: u8, thread: &'static Thread) {
        self.settle();
        self.ready.push_front(rank, thread);
    }

    /// Puts the running thread, of priority `rank`, behind the others of its priority. Returns the first
    /// of them, which runs now. There is no foremost thread.
    #[inline(always)]
    pub(crate) fn rotate(&self, rank: u8, thread: &'static Thread) -> Option<&'static Thread> {
        if let Some(next) = self.ready.pop_only(rank) {
            self.foremost.set(Some(thread));
            return Some(next);
        }
        self.ready.level(rank).rotate(thread)
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

    /// The next thread to run, whichever it is, unless a turn is running.
    #[inline(never)]
    pub(crate) fn take_next(
        &self,
        may_run: impl Fn(&'static Thread) -> bool,
    ) -> Option<&'static Thread> {
        self.settle();
        if self.slicing() {
            return None;
        }
        self.ready.first().filter(|next| may_run(next))?;
        self.ready.pop()
    }
}
