//! Turns that threads of one priority take, as the book's page of threads says. A turn is that of whom a thread serves in the
//! end, so that messages neither prolong nor lose it.

use riposte_abi::thread::policy;
use riposte_fuzz_script::plan::SLICE;

use super::{Doing, Naive, Thread};
use crate::memory::Memory;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turns {
    /// Whose, even while a more urgent thread runs, and until when.
    owner: Option<(usize, u64)>,
    /// When the turn of who runs ends, if that means anything.
    end: Option<u64>,
    /// Who ran has waited, and another one goes on in its place.
    pub(super) handed_on: bool,
}

impl Thread {
    /// Its own priority.
    pub(super) fn own_priority(&self) -> u8 {
        self.base - u8::from(self.dropped)
    }

    /// Whether it drops a level at the end of its turn.
    fn may_drop(&self) -> bool {
        self.policy == policy::ADAPTIVE && !self.dropped && self.base > 1
    }
}

impl Naive {
    /// Whom the thread serves in the end.
    fn served_by(&self, thread: usize) -> usize {
        let served = std::iter::successors(Some(thread), |thread| self.first_client(*thread));
        served.last().unwrap_or(thread)
    }

    /// A thread runs no more, which has waited, or let others go first. It is at its priority again if it waits.
    pub(super) fn end_turn_of(&mut self, thread: usize) {
        if self.threads[thread].dropped && self.threads[thread].doing != Doing::Ready {
            self.threads[thread].dropped = false;
            self.update_all();
        }
        let is_its = |(owner, _): &(usize, u64)| *owner == self.served_by(thread);
        if !self.turns.handed_on && self.turns.owner.as_ref().is_some_and(is_its) {
            self.turns.owner = None;
        }
    }

    /// A thread ends.
    pub(super) fn forget_turn(&mut self, thread: usize) {
        self.threads[thread].dropped = false;
        self.turns.owner = self.turns.owner.filter(|(owner, _)| *owner != thread);
    }

    /// Whoever runs from now on has a turn, if it shares its priority with somebody who is ready, or may drop.
    pub(super) fn plan_turns(&mut self) {
        self.turns.handed_on = false;
        self.turns.end = None;
        let Some(current) = self.current else { return };
        let owner = self.served_by(current);
        let takes_turns = self.threads[owner].policy != policy::FIFO;
        let is_equal = |other: &usize| self.priority(*other) == self.priority(current);
        let shares = takes_turns && self.ready.iter().any(is_equal);
        if !shares && !self.threads[owner].may_drop() {
            return;
        }
        let end = match self.turns.owner {
            Some((own, end)) if own == owner => end,
            _ => self.now + SLICE,
        };
        self.turns.owner = Some((owner, end));
        self.turns.end = Some(end);
    }

    /// The turns that are over end.
    pub(super) fn end_turns(&mut self, memory: &mut Memory) {
        while self.turns.end.is_some_and(|end| end <= self.now)
            && let Some(current) = self.current
        {
            self.ready.push(current);
            if self.threads[current].may_drop() && self.clients_of(current).is_empty() {
                self.threads[current].dropped = true;
                self.update();
            }
            self.settle(memory);
        }
    }

    /// Who runs computes for so long.
    pub fn compute(&mut self, time: u64) {
        if let Some(current) = self.current {
            self.threads[current].computes = Some(self.now + time);
        }
    }

    /// Lets time pass as long as who runs computes, until something is due. Whether it does.
    pub fn goes_on(&mut self, memory: &mut Memory) -> bool {
        let Some(current) = self.current else {
            return false;
        };
        let Some(until) = self.threads[current].computes else {
            return false;
        };
        let due = [self.turns.end, self.earliest()];
        let at = due.into_iter().flatten().fold(until, u64::min);
        self.now = self.now.max(at);
        if self.earliest().is_some_and(|at| at <= self.now) {
            self.end_what_is_due(memory);
        }
        self.end_turns(memory);
        self.make_calls_again(memory);
        if until <= self.now {
            self.threads[current].computes = None;
        }
        true
    }
}
