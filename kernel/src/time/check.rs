//! Invariants of deadlines and timers.

use core::cell::Cell;

use crate::{Kernel, Process, State, Thread, Timer, time::deadline::Deadlines};

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
        let interrupts = kernel.tables.interrupts.iter().flatten();
        let put_off = interrupts.filter(|interrupt| interrupt.is_put_off());
        let set = all.filter(|deadline| deadline.is_set()).count() + put_off.count();
        assert_eq!(set, count);
        kernel
            .tables
            .threads
            .iter()
            .for_each(Thread::check_deadline);
    }
}

impl Thread {
    /// What has a deadline waits; or it is the main thread of a process at its limit.
    fn check_deadline(&'static self) {
        let waits = self.state() != State::Ready && !self.stopped.get();
        let is_right = waits || self.resets();
        assert!(
            !self.deadline.is_set() || is_right,
            "a deadline of thread {}, which is {:?}",
            self.index,
            self.state()
        );
    }
}

impl Timer {
    /// Only a timer that is there, of a process that lives, is due.
    pub(crate) fn check(&self, owner: &Process) {
        assert!(
            !self.exists() || owner.leaves_traces(),
            "a timer of the dead"
        );
        let runs = self.deadline.is_set();
        assert!(self.exists() || !runs, "no timer is due");
        // One that comes due while its process is dying does nothing, until the end gets to it.
        let is_right = runs || self.rate() == 0 || owner.is_dying();
        assert!(is_right, "a rate of what does not run");
    }
}
