//! What must hold of memory that messages carry.

use riposte_kernel::{Form, Gap, Kernel, Process, State, Thread, Window, Writable};

use crate::{
    Machine, pages,
    protection::{Piece, Protection},
    ram,
};

/// Checks everything.
///
/// # Panics
/// Something does not hold.
pub(super) fn consistent(machine: &Machine) {
    let protection = machine.host.protection.borrow();
    let kernel = machine.kernel;
    the_hardware_was_told(kernel, &protection);
    for holder in kernel.tables().processes {
        for window in holder.exchange.windows {
            if window.open().is_some() {
                window_is_due(kernel, holder, window);
                nobody_shares(kernel, &protection, holder, window);
            }
        }
        for gap in holder.exchange.gaps {
            if gap.hidden().is_some() {
                gap_is_due(kernel, holder, gap);
            }
        }
        waits_for_its_memory(kernel, holder);
    }
    for thread in kernel.tables().threads {
        lender_has_its_window(thread);
    }
}

fn windows(kernel: &Kernel) -> impl Iterator<Item = (&'static Process, &'static Window)> {
    let processes = kernel.tables().processes.iter();
    processes.flat_map(|process| {
        let windows = process.exchange.windows.iter();
        windows.map(move |window| (process, window))
    })
}

/// The protection is what the kernel takes it for.
fn the_hardware_was_told(kernel: &Kernel, protection: &Protection) {
    let piece = |process: &Process, number, (range, address, more): (Writable, u32, bool)| Piece {
        process: process.index.into(),
        number,
        address,
        machine: range.address(),
        length: range.length(),
        more,
    };
    let mut open = Vec::new();
    let mut hidden = Vec::new();
    for process in kernel.tables().processes {
        for (number, window) in process.exchange.windows.iter().enumerate() {
            open.extend(window.open().map(|open| piece(process, number, open)));
        }
        for (number, gap) in process.exchange.gaps.iter().enumerate() {
            hidden.extend(gap.hidden().map(|hidden| piece(process, number, hidden)));
        }
    }
    assert_eq!(protection.windows, open, "what is open to whom");
    assert_eq!(protection.gaps, hidden, "what is hidden from whom");
}

/// A window never outlives its promise: its process lives, and has a token for what was lent.
fn window_is_due(kernel: &Kernel, holder: &'static Process, window: &'static Window) {
    assert!(holder.is_alive(), "a window of a dead process");
    let (range, _, writable) = window.open().expect("it is open");
    if let Some(gap) = window.moved() {
        let others = windows(kernel).filter(|(_, other)| {
            let is_it = |gap: &Gap, other: &Gap| std::ptr::eq(gap, other);
            other.moved().is_some_and(|other| is_it(gap, other))
        });
        assert_eq!(others.count(), 1, "moved memory has one holder");
        let (hidden, _, readable) = gap.hidden().expect("a gap for what is away");
        assert!(!gap.is_back() && gap.sender().is_none() && !readable && writable);
        assert_eq!(ends(hidden), ends(range));
        return;
    }
    let lender = window.lender().expect("lent, if not moved");
    match lender.state() {
        State::ReplyBlocked => {
            let server = lender.server().expect("a server");
            assert!(server.process.is(holder), "the server has what was lent");
            let form = if writable { Form::LendMut } else { Form::Lend };
            assert_eq!(lender.form(), form);
        }
        State::Stopped => {
            let home = lender.process;
            assert!(
                !home.is_alive() || home.is_held(),
                "it began anew too early"
            );
        }
        other => panic!("thread {} lends, and is {other:?}", lender.index),
    }
}

fn ends(range: Writable) -> (u32, u32) {
    (range.address(), range.length())
}

/// What one process may write, nobody else may touch; what one may read, nobody else may write.
/// Whoever waits or is dead touches nothing.
fn nobody_shares(
    kernel: &Kernel,
    protection: &Protection,
    holder: &'static Process,
    window: &'static Window,
) {
    let (range, _, writable) = window.open().expect("it is open");
    let last = range.address() + range.length() - 1;
    let same = windows(kernel).filter(|(_, other)| {
        let holds = |(other, _, _): (Writable, u32, bool)| {
            other.address() <= last && range.address() < other.address() + other.length()
        };
        other.open().is_some_and(holds)
    });
    assert_eq!(same.count(), 1, "a range is in one window");
    for home in kernel.tables().processes {
        let index = usize::from(home.index);
        let silent = !home.is_alive() || is_silenced_by(home, window);
        if home.is(holder) || silent {
            continue;
        }
        for own in [ram(index), pages(index)] {
            let offset = range.address().wrapping_sub(own.machine(own.base));
            if offset >= own.size {
                continue;
            }
            for at in [0, range.length() / 2, range.length() - 1] {
                let address = own.base + offset + at;
                assert_eq!(
                    protection.reach(index, address, true),
                    None,
                    "two may write"
                );
                let read = protection.reach(index, address, false);
                assert!(!writable || read.is_none(), "it is read and written");
            }
        }
    }
}

/// Whether the only thread of `home` waits for what is in `window`.
fn is_silenced_by(home: &Process, window: &Window) -> bool {
    let lender = window.lender().filter(|lender| lender.process.is(home));
    home.threads == 1 && lender.is_some_and(|lender| lender.state() == State::ReplyBlocked)
}

/// Every range comes home or has a holder.
fn gap_is_due(kernel: &Kernel, home: &'static Process, gap: &'static Gap) {
    let (range, address, readable) = gap.hidden().expect("it hides something");
    for other in home.exchange.gaps {
        let overlaps = |(_, there, _): (Writable, u32, bool)| there == address;
        assert!(std::ptr::eq(other, gap) || !other.hidden().is_some_and(overlaps));
    }
    let mut open = windows(kernel).filter(|(_, window)| {
        window
            .open()
            .is_some_and(|(open, _, _)| ends(open) == ends(range))
    });
    if gap.is_back() {
        assert!(open.next().is_none(), "what is back is in no window");
        return;
    }
    let Some(sender) = gap.sender() else {
        let moved = |window: &Window| window.moved().is_some_and(|own| std::ptr::eq(own, gap));
        assert!(open.any(|(_, window)| moved(window)), "it is lost");
        return;
    };
    assert!(sender.process.is(home));
    let lent = |(_, window): (_, &Window)| window.lender().is_some_and(|own| own.is(sender));
    match sender.state() {
        State::SendBlocked => {
            assert!(open.next().is_none(), "it has not been received");
            assert_eq!(readable, sender.form() == Form::Lend);
        }
        State::ReplyBlocked => assert!(open.any(lent) && sender.form() != Form::Move),
        State::Stopped => assert!(open.any(lent), "a gap that nobody closes"),
        other => panic!("a gap for thread {}, which is {other:?}", sender.index),
    }
}

/// A process waits to start again if memory of it is lent, and no longer.
fn waits_for_its_memory(kernel: &Kernel, home: &'static Process) {
    let lent = windows(kernel).filter(|(_, window)| {
        let lender = window.lender();
        lender.is_some_and(|lender| lender.process.is(home))
    });
    if home.waits_for_memory() {
        assert!(
            lent.count() != 0 && !home.is_alive(),
            "it waits for nothing"
        );
    }
}

/// What a thread has lent is in a window: in the first one, if the fast path may end the loan.
fn lender_has_its_window(thread: &'static Thread) {
    let lends = matches!(thread.form(), Form::Lend | Form::LendMut);
    if let Some(server) = thread.server().filter(|_| lends) {
        let mut windows = server.process.exchange.windows.iter();
        let is_its = |window: &Window| window.lender().is_some_and(|lender| lender.is(thread));
        let place = windows.position(is_its).expect("what was lent is there");
        let is_sole = server.fast_client().is_some_and(|sole| sole.is(thread));
        assert!(place == 0 || !is_sole, "not where the fast path looks");
    }
}
