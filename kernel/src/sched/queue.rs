//! Where threads wait: circular lists through [`Thread::link`], and queues of one list a priority.
//!
//! A thread is on at most one of them at a time; which one follows from its state.

use core::cell::Cell;

use crate::{Thread, limits::LEVELS};

type Link = Cell<Option<&'static Thread>>;

const WORDS: usize = LEVELS / 32;

state! {
/// A circular doubly linked list, first in first out.
pub struct List {
    pub(crate) head: Link,
}
}

impl List {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            head: Cell::new(None),
        }
    }

    /// The first thread.
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<&'static Thread> {
        self.head.get()
    }

    /// The thread after `thread`, or `None` at the end.
    #[must_use]
    pub fn after(&self, thread: &'static Thread) -> Option<&'static Thread> {
        let next = thread.next.get()?;
        (!self.head.get().is_some_and(|head| head.is(next))).then_some(next)
    }

    /// All threads, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        core::iter::successors(self.first(), |thread| self.after(thread))
    }

    /// Appends.
    #[inline]
    pub fn push_back(&self, thread: &'static Thread) {
        match self.head.get() {
            None => self.begin(thread),
            Some(head) => {
                let tail = head.previous.get().unwrap_or(head);
                thread.next.set(Some(head));
                thread.previous.set(Some(tail));
                tail.next.set(Some(thread));
                head.previous.set(Some(thread));
            }
        }
    }

    /// Begins with `thread`: it was empty.
    #[inline(always)]
    pub(crate) fn begin(&self, thread: &'static Thread) {
        thread.next.set(Some(thread));
        thread.previous.set(Some(thread));
        self.head.set(Some(thread));
    }

    /// Prepends.
    pub fn push_front(&self, thread: &'static Thread) {
        self.push_back(thread);
        self.head.set(Some(thread));
    }

    /// Puts `thread` behind the last one that is at least as urgent. That is the end, and found at
    /// once, if none is less urgent.
    pub(crate) fn insert(&self, thread: &'static Thread) {
        let priority = thread.priority.get();
        let Some(head) = self.head.get() else {
            return self.push_back(thread);
        };
        if head.priority.get() < priority {
            return self.push_front(thread);
        }
        let mut before = head.previous.get().unwrap_or(head);
        while before.priority.get() < priority {
            before = before.previous.get().unwrap_or(head);
        }
        let after = before.next.get().unwrap_or(head);
        thread.next.set(Some(after));
        thread.previous.set(Some(before));
        before.next.set(Some(thread));
        after.previous.set(Some(thread));
    }

    /// Removes a thread that is on this list.
    pub fn remove(&self, thread: &'static Thread) {
        let (Some(next), Some(previous)) = (thread.next.get(), thread.previous.get()) else {
            return;
        };
        thread.next.set(None);
        thread.previous.set(None);
        if next.is(thread) {
            self.head.set(None);
            return;
        }
        previous.next.set(Some(next));
        next.previous.set(Some(previous));
        if self.head.get().is_some_and(|head| head.is(thread)) {
            self.head.set(Some(next));
        }
    }
}

impl Default for List {
    fn default() -> Self {
        Self::new()
    }
}

state! {
/// A queue in priority order, first in first out within a priority. Every operation takes
/// constant time, whatever it holds.
pub struct Queue {
    pub(crate) levels: [List; LEVELS],
    pub(crate) words: [Cell<u32>; WORDS],
    pub(crate) summary: Cell<u32>,
}
}

impl Queue {
    /// An empty queue.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            levels: [const { List::new() }; LEVELS],
            words: [const { Cell::new(0) }; WORDS],
            summary: Cell::new(0),
        }
    }

    /// The list of one priority.
    #[must_use]
    #[inline(always)]
    pub fn level(&self, priority: u8) -> &List {
        &self.levels[usize::from(priority) & (LEVELS - 1)]
    }

    /// Whether nothing waits.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        if WORDS == 1 {
            self.words[0].get() == 0
        } else {
            self.summary.get() == 0
        }
    }

    /// Whether something waits at this priority or a higher one.
    #[inline(always)]
    pub(crate) fn holds_from(&self, priority: u8) -> bool {
        if WORDS == 1 {
            self.words[0].get() >> (priority & 31) != 0
        } else {
            self.top() >= Some(priority)
        }
    }

    /// The highest priority that waits.
    #[must_use]
    #[inline]
    pub fn top(&self) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        let word = if WORDS == 1 {
            0
        } else {
            31 - self.summary.get().leading_zeros() as usize
        };
        let bits = self.words[word & (WORDS - 1)].get();
        Some((word as u32 * 32 + 31 - bits.leading_zeros()) as u8)
    }

    /// Whether somebody of a higher priority waits. Cheaper than [`Queue::top`], where the processor
    /// cannot count zeros.
    #[must_use]
    #[inline]
    pub fn has_above(&self, priority: u8) -> bool {
        if WORDS == 1 {
            self.words[0].get() >> (priority & 31) >> 1 != 0
        } else {
            self.top().is_some_and(|top| top > priority)
        }
    }

    /// The first thread of the highest priority.
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<&'static Thread> {
        self.level(self.top()?).first()
    }

    /// All threads, in the order in which they would be taken.
    pub fn iter(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        (0..LEVELS)
            .rev()
            .flat_map(|priority| self.level(priority as u8).iter())
    }

    /// Appends at this priority.
    #[inline]
    pub fn push_back(&self, priority: u8, thread: &'static Thread) {
        self.level(priority).push_back(thread);
        self.mark(priority);
    }

    /// Prepends at this priority.
    pub fn push_front(&self, priority: u8, thread: &'static Thread) {
        self.level(priority).push_front(thread);
        self.mark(priority);
    }

    /// Removes a thread that waits here at this priority.
    pub fn remove(&self, priority: u8, thread: &'static Thread) {
        self.level(priority).remove(thread);
        if self.level(priority).first().is_none() {
            self.unmark(priority);
        }
    }

    /// Takes the first thread of the highest priority.
    #[inline]
    pub fn pop(&self) -> Option<&'static Thread> {
        let priority = self.top()?;
        let thread = self.level(priority).first()?;
        self.remove(priority, thread);
        Some(thread)
    }

    #[inline(always)]
    fn mark(&self, priority: u8) {
        let word = (usize::from(priority) / 32) & (WORDS - 1);
        self.words[word].set(self.words[word].get() | 1 << (priority & 31));
        if WORDS > 1 {
            self.summary.set(self.summary.get() | 1 << word);
        }
    }

    /// Nobody waits at this priority any more.
    #[inline(always)]
    pub(crate) fn unmark(&self, priority: u8) {
        let word = (usize::from(priority) / 32) & (WORDS - 1);
        let rest = self.words[word].get() & !(1 << (priority & 31));
        self.words[word].set(rest);
        if WORDS > 1 && rest == 0 {
            self.summary.set(self.summary.get() & !(1 << word));
        }
    }
}

impl Default for Queue {
    fn default() -> Self {
        Self::new()
    }
}
