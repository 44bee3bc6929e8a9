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

    /// Adds a thread behind its equals.
    #[inline]
    pub(crate) fn push_back(&self, thread: &'static Thread) {
        let priority = thread.priority.get();
        match self.next.get() {
            None if !self.queue.holds_from(priority) => self.next.set(Some(thread)),
            Some(next) if next.priority.get() < priority => self.push_before(next, thread),
            _ => self.queue.push_back(priority, thread),
        }
    }

    /// Adds a thread in front of its equals.
    #[inline]
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
    #[inline]
    pub(crate) fn pop(&self) -> Option<&'static Thread> {
        match self.next.take() {
            None => self.queue.pop(),
            next => next,
        }
    }

    /// Takes the first thread, if it is more urgent than this priority.
    #[inline]
    pub(crate) fn pop_above(&self, priority: u8) -> Option<&'static Thread> {
        match self.next.get() {
            None if self.queue.has_above(priority) => self.queue.pop(),
            Some(next) if next.priority.get() > priority => {
                self.next.set(None);
                Some(next)
            }
            _ => None,
        }
    }

    /// Takes the first thread of the priority of `thread`, the running one, which goes behind its equals.
    /// `None` if it has none: then nothing has changed.
    #[inline]
    pub(crate) fn rotate(&self, thread: &'static Thread) -> Option<&'static Thread> {
        let priority = thread.priority.get();
        let first = match self.next.get() {
            None => {
                let first = self.queue.level(priority).first()?;
                self.queue.remove(priority, first);
                first
            }
            Some(next) if next.priority.get() == priority => {
                self.next.set(None);
                next
            }
            Some(_) => return None,
        };
        self.push_back(thread);
        Some(first)
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
