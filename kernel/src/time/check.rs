//! Invariants of deadlines and timers.

use core::cell::Cell;

use crate::{Kernel, Process, Timer, time::deadline::Deadlines};

impl Deadlines {
    /// The earliest comes first, and whoever has a deadline is here.
    pub(crate) fn check(&self, kernel: &Kernel) {
        let count = self.count.get();
        let at = |index: usize| self.places.get(index).and_then(Cell::get);
        for index in 0..count {
            let deadline = at(index).expect("a deadline at each place");
            assert_eq!(usize::from(deadline.place.get()), index);
            let parent = at(index.saturating_sub(1) / 2).expect("a deadline at each place");
            assert!(
                parent.at.get() <= deadline.at.get(),
                "deadlines out of order"
            );
        }
        let threads = kernel.tables.threads.iter().map(|thread| &thread.deadline);
        let processes = kernel.tables.processes.iter();
        let timers = processes.flat_map(|process| process.objects.timers);
        let all = threads.chain(timers.map(|timer| &timer.deadline));
        assert_eq!(all.filter(|deadline| deadline.is_set()).count(), count);
    }
}

impl Timer {
    /// Only a timer that is there, of a process that lives, is due.
    pub(crate) fn check(&self, owner: &Process) {
        assert!(!self.exists() || owner.alive.get(), "a timer of the dead");
        assert!(self.exists() || !self.deadline.is_set(), "no timer is due");
    }
}
