//! Deadlines: a binary heap of the threads that have one. Setting and clearing take at most
//! log2(threads) steps, and nothing when a call has no deadline.

use core::cell::Cell;

use crate::{Thread, thread::NO_TIMER};

/// The threads that have a deadline, earliest first.
pub(crate) struct Deadlines {
    /// One place a thread.
    pub(crate) places: &'static [Cell<Option<&'static Thread>>],
    pub(crate) count: Cell<usize>,
}

impl Deadlines {
    pub const fn new(places: &'static [Cell<Option<&'static Thread>>]) -> Self {
        Self {
            places,
            count: Cell::new(0),
        }
    }

    /// The earliest deadline; `u64::MAX` if there is none.
    pub fn earliest(&self) -> u64 {
        self.first()
            .map_or(u64::MAX, |thread| thread.deadline.get())
    }

    /// The thread with the earliest deadline.
    pub fn first(&self) -> Option<&'static Thread> {
        self.at(0)
    }

    /// Gives `thread`, which has none, a deadline.
    pub fn insert(&self, thread: &'static Thread, at: u64) {
        thread.deadline.set(at);
        let index = self.count.get();
        self.count.set(index + 1);
        self.put(index, thread);
        self.rise(index);
    }

    /// Takes the thread's deadline away, if it has one.
    #[inline]
    pub fn remove(&self, thread: &'static Thread) {
        if thread.timer.get() != NO_TIMER {
            self.take(thread);
        }
    }

    fn take(&self, thread: &'static Thread) {
        let index = usize::from(thread.timer.replace(NO_TIMER));
        let last = self.count.get().wrapping_sub(1);
        self.count.set(last);
        let moved = self.places.get(last).and_then(Cell::take);
        if let Some(moved) = moved.filter(|_| index != last) {
            self.put(index, moved);
            self.sink(index);
            self.rise(index);
        }
    }

    fn at(&self, index: usize) -> Option<&'static Thread> {
        self.places.get(index).and_then(Cell::get)
    }

    fn put(&self, index: usize, thread: &'static Thread) {
        if let Some(place) = self.places.get(index) {
            place.set(Some(thread));
            thread.timer.set(index as u16);
        }
    }

    fn rise(&self, mut index: usize) {
        while index > 0 {
            let parent = (index - 1) / 2;
            if !self.swap_if_earlier(index, parent) {
                return;
            }
            index = parent;
        }
    }

    fn sink(&self, mut index: usize) {
        loop {
            let left = 2 * index + 1;
            let earliest = |at: usize| self.at(at).map_or(u64::MAX, |thread| thread.deadline.get());
            let child = if earliest(left + 1) < earliest(left) {
                left + 1
            } else {
                left
            };
            if !self.swap_if_earlier(child, index) {
                return;
            }
            index = child;
        }
    }

    /// Swaps the two if the one at `low` is due before the one at `high`.
    fn swap_if_earlier(&self, low: usize, high: usize) -> bool {
        let (Some(below), Some(above)) = (self.at(low), self.at(high)) else {
            return false;
        };
        if below.deadline.get() >= above.deadline.get() {
            return false;
        }
        self.put(high, below);
        self.put(low, above);
        true
    }
}
