//! Memory that messages carry, as the hardware sees it.

use riposte_kernel::{Kernel, Process, State, Window, Writable};

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
    if !kernel.has_work_left() {
        every_thread_sees_the_same(kernel, &protection);
    }
    for (holder, window) in windows(kernel) {
        if window.open().is_some() {
            nobody_shares(kernel, &protection, holder, window);
        }
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

/// What is open to a process or hidden from it, is so for each of its threads before any thread runs.
fn every_thread_sees_the_same(kernel: &Kernel, protection: &Protection) {
    for process in kernel.tables().processes {
        let image = |index: u8| protection.images.get(&index).filter(|it| !it.is_empty());
        let threads = kernel.tables().threads.iter();
        for thread in threads.filter(|it| it.process.index == process.index) {
            assert_eq!(
                image(thread.index),
                image(process.first_thread),
                "what thread {} may touch",
                thread.index
            );
        }
    }
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
