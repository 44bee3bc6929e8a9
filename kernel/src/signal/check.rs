//! Invariants of signals.

use crate::{
    Kernel, Process, State, Thread,
    signal::{ALL, Waits, queue::ANYBODY},
};

/// The set of all that are queued.
const QUEUED: u64 = !0 << riposte_abi::signal::FIRST_QUEUED;

impl Process {
    /// What is queued waits, and the other way round; and nothing waits for just anybody that somebody would take.
    pub(crate) fn check_signals(&self, kernel: &Kernel) {
        let Some(of) = self.signals.first() else {
            return;
        };
        let pending = of.pending.get();
        assert_eq!(pending & QUEUED, of.queue.set_for(ANYBODY));
        assert_eq!(pending & 1, 0, "there is no signal 0");
        if !self.is_alive() {
            assert_eq!((pending, of.entry.get()), (0, 0), "the dead have none");
            return;
        }
        for thread in kernel.threads_of(self) {
            let waits = match thread.signals.first().map(|own| own.waits.get()) {
                Some(Waits::One(set)) => set,
                _ => 0,
            };
            if thread.lives() && !self.is_halted() {
                assert_eq!(pending & waits, 0, "somebody waits for what is there");
            }
        }
    }
}

impl Kernel {
    /// It is known how many are summoned, and who runs is none of them.
    pub(crate) fn check_summoned(&self) {
        if let Some(count) = self.summoned.first() {
            let threads = self.tables.threads.iter();
            let summoned = threads.filter(|thread| thread.is_summoned()).count();
            assert_eq!(usize::from(count.get()), summoned);
            assert!(!self.current.get().is_summoned());
            assert!(summoned == 0 || self.deadlines.replan.get());
        }
    }
}

impl Kernel {
    /// Who is to execute a call again is kept from the ways that look at nothing.
    pub(crate) fn check_repeating(&self) {
        let none = self.tables.handles.last();
        for thread in self.tables.threads.iter().filter(|it| it.repeats()) {
            let finds_none = none.is_some_and(|none| core::ptr::eq(none, thread.handles.get()));
            assert!(finds_none, "thread {} repeats", thread.index);
        }
    }
}

impl Thread {
    /// Nothing is due to a thread that runs on, or could.
    pub(crate) fn check_signals(&'static self) {
        let Some((own, of)) = self.signals() else {
            return;
        };
        let index = self.index;
        assert_eq!(own.mask.get() & 1, 1, "there is no signal 0");
        assert_eq!(own.of_process.get() & !(own.pending.get() as u32), 0);
        assert!(
            !self.stopped.get() || own.pending.get() == 0,
            "thread {index}"
        );
        if self.process.is_alive() {
            let queued = of.queue.set_for(index);
            assert_eq!(own.pending.get() & QUEUED, queued, "thread {index}");
            assert!(own.mask.get() == ALL || of.entry.get() != 0 || self.stopped.get());
        }
        if own.summoned.get() {
            let may_go_on = self.state() == State::Ready || self.process.is_halted();
            assert!(may_go_on && !self.stopped.get(), "thread {index}");
        }
        if !self.lives() || self.process.is_halted() {
            return;
        }
        let waits = self.state() == State::Signalled;
        assert_eq!(waits, self.waits_for_signals(), "thread {index}");
        // What it has read before may be linked to it still, but none of it counts.
        let amid_copy = self.copies.get() && self.progress.get() != 0;
        assert!(!waits || !amid_copy, "thread {index} waits amid a copy");
        assert!(!self.had_no_room() || own.summoned.get(), "thread {index}");
        if own.repeats.get() {
            assert!(self.only_client().is_none(), "thread {index} repeats");
            return;
        }
        let is_told = own.summoned.get()
            || self.state() == State::ReplyBlocked && self.stays_until_answered()
            || self.waits_for_the_dead();
        assert!(is_told || own.due(of) == 0, "thread {index} is not told");
    }
}
