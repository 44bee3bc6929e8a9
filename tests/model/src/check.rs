//! Everything that must hold between any two steps: the kernel's own invariants, and what they cannot say.

mod memory;

use riposte_kernel::{Channel, Kernel, State, Thread};

use crate::Machine;

/// Checks everything: what the kernel states of itself, and what only somebody outside can tell.
///
/// # Panics
/// Something does not hold.
pub fn consistent(machine: &Machine) {
    let kernel = machine.kernel;
    kernel.check_invariants();
    for thread in kernel.tables().threads {
        priority_is_due(kernel, thread);
    }
    interrupts_come_as_they_should(machine);
    the_clock_interrupts_in_time(machine);
    priorities_are_due(kernel);
    memory::consistent(machine);
}

/// Every priority is the one that follows from who waits for whom.
///
/// A channel of several threads makes a circle possible that is no deadlock: one of them waits for
/// somebody who waits at the channel for another one. Their priorities may stay higher than due
/// while it lasts; never lower.
fn priorities_are_due(kernel: &Kernel) {
    let threads = kernel.tables().threads;
    let lowest = naive_priorities(kernel);
    let loans = loans(threads);
    let in_circle: Vec<_> = threads
        .iter()
        .map(|thread| thread.index)
        .filter(|index| reaches(&loans, *index, *index))
        .collect();
    for thread in threads {
        if matches!(thread.state(), State::ReceiveBlocked | State::Stopped) {
            continue;
        }
        let (index, priority) = (thread.index, thread.priority());
        let due = lowest[usize::from(index)];
        let after_circle = in_circle
            .iter()
            .any(|member| reaches(&loans, *member, index));
        assert!(
            priority == due || (after_circle && priority > due),
            "priority of thread {index} is {priority} and should be {due}"
        );
    }
}

/// A line can interrupt exactly if the kernel does not take it for masked.
fn interrupts_come_as_they_should(machine: &Machine) {
    let lines = machine.kernel.tables().interrupts.iter().enumerate();
    for (line, interrupt) in lines {
        let Some(interrupt) = interrupt else { continue };
        let comes = machine.lines().enabled >> line & 1 != 0;
        assert_eq!(comes, !interrupt.is_masked(), "line {line}");
    }
}

fn the_clock_interrupts_in_time(machine: &Machine) {
    let earliest = machine.kernel.earliest_deadline();
    assert!(
        machine.alarm() <= earliest || machine.must_repeat(machine.current()),
        "the clock interrupts in time"
    );
}

fn priority_is_due(kernel: &Kernel, thread: &'static Thread) {
    if !matches!(thread.state(), State::ReceiveBlocked | State::Stopped) {
        assert_eq!(
            thread.priority(),
            kernel.due_priority(thread),
            "priority of thread {} ({:?})",
            thread.index,
            thread.state()
        );
    }
}

/// The priorities that follow from who waits for whom, computed from nothing: from the threads'
/// own priorities upwards until nothing changes.
#[must_use]
pub fn naive_priorities(kernel: &Kernel) -> Vec<u8> {
    let threads = kernel.tables().threads;
    let loans = loans(threads);
    let mut priorities: Vec<Option<u8>> = threads
        .iter()
        .map(|thread| {
            let serves = |client: &Thread| {
                client.lends_priority() && client.server().is_some_and(|server| server.is(thread))
            };
            let borrows = threads.iter().any(serves);
            let own = thread.bound().fixed_priority().unwrap_or(thread.base.get());
            (!borrows).then_some(own)
        })
        .collect();
    for _ in threads {
        for (lender, borrower) in &loans {
            let lent = priorities[usize::from(*lender)];
            let priority = &mut priorities[usize::from(*borrower)];
            *priority = (*priority).max(lent);
        }
    }
    priorities
        .into_iter()
        .map(|priority| priority.unwrap_or(0))
        .collect()
}

/// Who lends to whom: (lender, borrower).
fn loans(threads: &'static [Thread]) -> Vec<(u8, u8)> {
    let lends = |channel: &&Channel| channel.fixed_priority().is_none();
    let mut loans = Vec::new();
    for client in threads {
        if let Some(server) = client.server().filter(|_| client.lends_priority()) {
            loans.push((client.index, server.index));
        }
        loans.extend(client.lock_owner().map(|owner| (client.index, owner.index)));
        if let Some(channel) = client.sending().filter(lends) {
            let servers = threads.iter().filter(|server| server.bound().is(channel));
            loans.extend(servers.map(|server| (client.index, server.index)));
        }
    }
    loans
}

/// Whether a chain of pairs leads from one thread to another.
fn reaches(pairs: &[(u8, u8)], from: u8, to: u8) -> bool {
    let mut reached = vec![from];
    let mut index = 0;
    while let Some(&here) = reached.get(index) {
        for (_, next) in pairs.iter().filter(|(first, _)| *first == here) {
            if *next == to {
                return true;
            }
            if !reached.contains(next) {
                reached.push(*next);
            }
        }
        index += 1;
    }
    false
}
