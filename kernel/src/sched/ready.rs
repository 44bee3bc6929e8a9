//! The ready queue, and the thread that will leave it next.
//!
//! A thread that becomes ready is mostly the next one to run. If it precedes all that are ready, it waits in
//! [`Ready::next`], on no list, and neither its way in nor its way out touches the queue. The operations here
//! keep that a secret: to everybody else this is a queue in priority order, first in first out among equals.

use core::cell::Cell;

use crate::{Queue, Thread};

state! {
/// The threads that are ready, without the running one.
pub struct Ready {
    /// A thread that precedes all in the queue, on no list. The queue may hold threads while there is none.
    pub(crate) next: Cell<Option<&'static Thread>>,
    pub(crate) queue: Queue,
}
}

impl Ready {
    pub(crate) const fn new() -> Self {
        Self {
            next: Cell::new(None),
            queue: Queue::new(),
        }
    }

    /// All threads, in the order in which they will run.
    pub fn iter(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        self.next.get().into_iter().chain(self.queue.iter())
    }

    /// The thread that waits in front of the queue, if there is one.
    #[must_use]
    pub fn next(&self) -> Option<&'static Thread> {
        self.next.get()
    }

    /// What is behind it.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The first of them.
    pub(crate) fn first(&self) -> Option<&'static Thread> {
        self.next.get().or_else(|| self.queue.first())
    }

    fn is_next(&self, thread: &Thread) -> bool {
        self.next.get().is_some_and(|next| next.is(thread))
    }

    /// Whether `thread`, which is ready or held, waits here; else it is the running one.
    pub(crate) fn contains(&self, thread: &Thread) -> bool {
        thread.next.get().is_some() || self.is_next(thread)
    }

    /// Whether somebody of this priority waits here, and nobody of a higher one.
    #[inline]
    pub(crate) fn has_equal(&self, priority: u8) -> bool {
        match self.next.get() {
            Some(next) => next.priority.get() == priority,
            None => self.queue.level(priority).first().is_some(),
        }
    }

    /// Whether somebody of a higher priority waits here.
    #[inline]
    pub(crate) fn has_above(&self, priority: u8) -> bool {
        match self.next.get() {
            Some(next) => next.priority.get() > priority,
            None => self.queue.has_above(priority),
        }
    }

    /// Adds a thread behind its equals.
    #[inline(always)]
    pub(crate) fn push_back(&self, thread: &'static Thread) {
        if self.next.get().is_none() && !self.queue.holds_from(thread.priority.get()) {
            self.next.set(Some(thread));
        } else {
            self.push_back_among(thread);
        }
    }

    /// Every other case.
    #[inline(never)]
    fn push_back_among(&self, thread: &'static Thread) {
        let priority = thread.priority.get();
        match self.next.get() {
            Some(next) if next.priority.get() < priority => self.push_before(next, thread),
            _ => self.queue.push_back(priority, thread),
        }
    }

    /// Adds a thread in front of its equals.
    pub(crate) fn push_front(&self, thread: &'static Thread) {
        let priority = thread.priority.get();
        match self.next.get() {
            None if !self.queue.has_above(priority) => self.next.set(Some(thread)),
            Some(next) if next.priority.get() <= priority => self.push_before(next, thread),
            _ => self.queue.push_front(priority, thread),
        }
    }

    /// `thread` precedes `next`, which goes to the queue.
    #[inline]
    fn push_before(&self, next: &'static Thread, thread: &'static Thread) {
        self.queue.push_front(next.priority.get(), next);
        self.next.set(Some(thread));
    }

    /// Takes the first thread.
    #[inline(always)]
    pub(crate) fn pop(&self) -> Option<&'static Thread> {
        match self.next.get() {
            None => self.queue.pop(),
            next => {
                self.next.set(None);
                next
            }
        }
    }

    /// The thread to run: `thread`, or the first one here, if that is more urgent. Then `thread` waits here, at the
    /// head of its level.
    #[inline(always)]
    pub(crate) fn most_urgent(&self, thread: &'static Thread) -> &'static Thread {
        let priority = thread.priority.get();
        match self.next.get() {
            None if !self.queue.has_above(priority) => thread,
            Some(next) if next.priority.get() <= priority => thread,
            // Both precede all in the queue.
            Some(next) if !self.queue.has_above(priority) => {
                self.next.set(Some(thread));
                next
            }
            _ => self.change_places(thread),
        }
    }

    /// Every other case: somebody is more urgent than `thread`.
    #[inline(never)]
    fn change_places(&self, thread: &'static Thread) -> &'static Thread {
        let Some(urgent) = self.pop() else {
            return thread;
        };
        self.push_front(thread);
        urgent
    }

    /// Takes the first thread of the priority of `thread`, the running one, which goes behind its equals.
    /// `None` if it has none: then nothing has changed.
    #[inline(always)]
    pub(crate) fn rotate(&self, thread: &'static Thread) -> Option<&'static Thread> {
        let priority = thread.priority.get();
        match self.next.get() {
            Some(next) if next.priority.get() != priority => None,
            // It has no other equal.
            Some(next) if !self.queue.holds_from(priority) => {
                self.next.set(Some(thread));
                Some(next)
            }
            _ => self.rotate_among(thread),
        }
    }

    /// Every other case: who waits in front of the queue, if anybody does, is an equal.
    #[inline(never)]
    fn rotate_among(&self, thread: &'static Thread) -> Option<&'static Thread> {
        let priority = thread.priority.get();
        match self.next.take() {
            Some(next) => {
                self.queue.push_back(priority, thread);
                Some(next)
            }
            None => {
                let level = self.queue.level(priority);
                let first = level.first()?;
                if level.after(first).is_some() {
                    return level.exchange(thread);
                }
                self.queue.remove(priority, first);
                self.push_back(thread);
                Some(first)
            }
        }
    }

    /// Removes a thread that waits here.
    pub(crate) fn remove(&self, thread: &'static Thread) {
        if self.is_next(thread) {
            self.next.set(None);
        } else {
            self.queue.remove(thread.priority.get(), thread);
        }
    }

    /// Gives a thread that waits here another priority: it goes behind its new equals.
    pub(crate) fn set_priority(&self, thread: &'static Thread, priority: u8) {
        self.remove(thread);
        thread.priority.set(priority);
        self.push_back(thread);
    }
}
