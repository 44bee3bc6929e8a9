//! Invariants of memory that messages carry.

use core::ptr;

use crate::{
    Form, Gap, Kernel, Process, State, Window, Writable,
    memory::window::{Absence, Contents},
};

/// Whether both are the same bytes.
fn same(first: Writable, second: Writable) -> bool {
    (first.address(), first.length()) == (second.address(), second.length())
}

/// All windows that are open.
fn open(kernel: &Kernel) -> impl Iterator<Item = &'static Window> {
    let processes = kernel.tables.processes.iter();
    let windows = processes.flat_map(|process| process.exchange.windows);
    windows.filter(|window| !window.is_empty())
}

impl Process {
    /// Checks its windows and gaps, and that it waits for its memory only while that is lent.
    pub(crate) fn check_exchange(&'static self, kernel: &Kernel) {
        let windows = self.exchange.windows.iter();
        windows.for_each(|window| window.check(kernel, self));
        let gaps = self.exchange.gaps.iter();
        gaps.for_each(|gap| gap.check(kernel, self));
        if self.waits.get() {
            let is_its = |window: &Window| matches!(window.contents.get(), Contents::Lent(lender) if lender.process.is(self));
            assert!(!self.alive.get(), "who lives waits to start");
            assert!(open(kernel).any(is_its), "it waits for nothing");
        }
    }
}

impl Window {
    /// It never outlives its promise: its process lives, and has a token for what was lent.
    fn check(&'static self, kernel: &Kernel, holder: &'static Process) {
        if self.is_empty() {
            return;
        }
        assert!(holder.leaves_traces(), "a window of a dead process");
        let range = self.range.get();
        if let Contents::Region(region) = self.contents.get() {
            assert!(self.is_for_regions() && same(range, region.block().range()));
            let shown = holder.exchange.windows.iter();
            let shown = shown.filter(|window| window.shows(region)).count();
            assert_eq!(shown, 1, "a region is mapped twice");
            return;
        }
        assert!(!self.is_for_regions(), "a message in a place for regions");
        let overlaps = |other: &&Window| {
            let (first, second) = (range, other.range.get());
            let within = |inner: Writable, outer: Writable| {
                inner.address().wrapping_sub(outer.address()) < outer.length()
            };
            within(first, second) || within(second, first)
        };
        assert_eq!(
            open(kernel).filter(overlaps).count(),
            1,
            "a range is in one window"
        );
        match self.contents.get() {
            Contents::Moved(gap) => {
                assert!(matches!(gap.absence.get(), Absence::Away) && !gap.readable.get());
                assert!(self.writable.get() && same(gap.range.get(), range));
            }
            Contents::Lent(lender) => match lender.state() {
                State::ReplyBlocked => {
                    let server = lender.server().expect("a server");
                    assert!(server.process.is(holder), "the server has what was lent");
                    let form = if self.writable.get() {
                        Form::LendMut
                    } else {
                        Form::Lend
                    };
                    assert_eq!(lender.form(), form);
                }
                State::Stopped => {
                    let home = lender.process;
                    assert!(
                        !home.alive.get() || home.held.get(),
                        "it began anew too early"
                    );
                }
                other => panic!("thread {} lends, and is {other:?}", lender.index),
            },
            Contents::Nothing | Contents::Region(_) => {}
        }
    }
}

impl Gap {
    /// What it hides comes home, or has a holder.
    fn check(&'static self, kernel: &Kernel, home: &'static Process) {
        if self.is_free() {
            return;
        }
        let overlaps = |gap: &&Gap| gap.overlaps(self.address.get(), self.range.get().length());
        let gaps = home.exchange.gaps.iter();
        assert_eq!(gaps.filter(overlaps).count(), 1, "it is hidden once");
        let windows = || open(kernel).filter(|window| same(window.range.get(), self.range.get()));
        let is_moved = |window: &Window| matches!(window.contents.get(), Contents::Moved(gap) if ptr::eq(gap, self));
        match self.absence.get() {
            Absence::None => {}
            Absence::Back => assert!(windows().next().is_none(), "it is back, and away"),
            Absence::Away => assert!(windows().any(is_moved), "it is lost"),
            Absence::Sent(sender) => {
                assert!(sender.process.is(home));
                let mut windows = windows();
                match sender.state() {
                    State::SendBlocked => {
                        assert!(windows.next().is_none(), "it has not been received");
                        assert_eq!(self.readable.get(), sender.form() == Form::Lend);
                    }
                    State::ReplyBlocked => {
                        assert!(windows.any(|window| window.is_lent_by(sender)));
                        assert!(sender.form() != Form::Move);
                    }
                    State::Stopped => {
                        let is_lent = windows.any(|window| window.is_lent_by(sender));
                        assert!(is_lent, "a gap that nobody closes");
                    }
                    other => panic!("a gap for thread {}, which is {other:?}", sender.index),
                }
            }
        }
    }
}
