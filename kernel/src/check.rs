//! Invariants: what holds between any two events.
//!
//! Each object states its own beside its operations, in the `check` of its folder. Only builds with debug
//! assertions have them: host tests and the explorer, never a shipped image.

use crate::{Interrupt, Kernel, Purpose, State};

impl Kernel {
    /// Checks every object.
    ///
    /// # Panics
    /// An invariant is broken.
    pub fn check_invariants(&self) {
        let tables = &self.tables;
        self.check_running();
        self.ready.check(self);
        self.deadlines.check(self);
        tables.threads.iter().for_each(|thread| thread.check(self));
        let threads = tables.threads.iter();
        threads.for_each(|thread| thread.check_signals());
        self.check_summoned();
        self.check_repeating();
        let processes = tables.processes.iter();
        processes.for_each(|process| process.check_signals(self));
        tables
            .processes
            .iter()
            .for_each(|process| process.check(self));
        tables
            .channels
            .iter()
            .for_each(|channel| channel.check(self));
        self.check_pools();
        tables.nowhere.check_unused();
        let lines = tables.interrupts.iter().enumerate();
        lines.for_each(|(line, interrupt)| {
            if let Some(interrupt) = interrupt {
                interrupt.check(self, line);
            }
        });
    }

    /// Nobody who is ready is more urgent than the running thread.
    fn check_running(&self) {
        let current = self.current.get();
        assert_eq!(current.state(), State::Ready, "the running thread is ready");
        if self.awaits_interrupt() {
            return;
        }
        if self.is_unfinished() && !self.is_idle(current) {
            let none = self.tables.handles.last();
            assert!(
                none.is_some_and(|none| core::ptr::eq(none, current.handles.get())),
                "thread {} runs beside the dying, and finds its handles",
                current.index
            );
        }
        if let Some(first) = self.ready.iter().next() {
            let (own, other) = (current.priority.get(), first.priority.get());
            let index = current.index;
            assert!(
                other <= own,
                "thread {index} at {own} runs while one at {other} is ready"
            );
        }
    }
}

impl Interrupt {
    /// It has one open handle while it is attached, and none otherwise, but for that which its dying owner still
    /// has. Nobody gets a line that nobody asked for.
    fn check(&self, kernel: &Kernel, line: usize) {
        assert_eq!(usize::from(self.line), line);
        let tables = &kernel.tables;
        let holders = tables.processes.iter().zip(tables.handles);
        let open = holders.filter(|(holder, handles)| {
            let is_open = handles.iter().any(|handle| {
                let is_its =
                    handle.purpose == Purpose::Interrupt && handle.badge() as usize == line;
                is_its && handle.is_open()
            });
            is_open && (self.is_attached() || !holder.is_dying())
        });
        assert_eq!(open.count(), usize::from(self.is_attached()), "line {line}");
        assert!(self.is_attached() || self.is_masked(), "line {line}");
    }
}
