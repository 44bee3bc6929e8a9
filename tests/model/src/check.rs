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
    interrupts_come_as_they_should(machine);
    the_clock_interrupts_in_time(machine);
    receivers_are_known(kernel);
    nobody_lends_to_itself(kernel);
    if !kernel.has_work_left() {
        priorities_are_due(kernel);
    }
    memory::consistent(machine);
}

/// Every priority is the one that follows from who waits for whom. Nobody waits for itself, so that there
/// is only one such priority, and no thread sustains its own.
fn priorities_are_due(kernel: &Kernel) {
    let due = naive_priorities(kernel);
    for thread in kernel.tables().threads {
        if !matches!(thread.state(), State::ReceiveBlocked | State::Stopped) {
            let (index, priority) = (thread.index, thread.priority());
            let due = due[usize::from(index)];
            assert_eq!(priority, due, "priority of thread {index}");
        }
    }
}

/// No thread lends its priority to itself, through whatever others.
fn nobody_lends_to_itself(kernel: &Kernel) {
    let threads = kernel.tables().threads;
    let waits = pairs(kernel);
    for thread in threads {
        let index = thread.index;
        assert!(
            !reaches(&waits, index, index),
            "thread {index} waits for itself"
        );
    }
}

/// Every receiver of a channel is known to it.
fn receivers_are_known(kernel: &Kernel) {
    let tables = kernel.tables();
    for channel in tables.channels {
        let known: Vec<_> = channel.all_receivers().take(1000).collect();
        let bound = tables.threads.iter();
        let bound = bound.filter(|thread| thread.bound().is(channel)).count();
        assert!(known.iter().all(|thread| thread.bound().is(channel)));
        assert_eq!(known.len(), bound, "receivers of channel {}", channel.index);
        assert!(bound <= usize::from(tables.depth), "too many receivers");
        assert!(!channel.has_one_receiver() || bound == 1);
        if let [only] = known[..] {
            let state = only.state();
            let waits = !matches!(state, State::Ready | State::ReceiveBlocked);
            assert!(channel.has_one_receiver() || waits || only.process.is_held());
        }
        if channel.owner.threads == 1 {
            assert_eq!(channel.has_one_receiver(), bound == 1);
        }
    }
    for thread in tables.threads {
        let serves = thread.clients().next().is_some();
        assert!(serves || !thread.serves_its_channel());
    }
}

/// A line can interrupt exactly if the kernel does not take it for masked.
fn interrupts_come_as_they_should(machine: &Machine) {
    let lines = machine.kernel.tables().interrupts.iter().enumerate();
    for (line, interrupt) in lines {
        let Some(interrupt) = interrupt else { continue };
        let comes = machine.lines().enabled >> line & 1 != 0;
        assert_eq!(comes, !interrupt.is_masked(), "line {line}");
        assert!(interrupt.is_attached() || interrupt.is_masked());
        let waits = interrupt.is_attached() && interrupt.is_masked();
        assert!(waits || !interrupt.is_put_off(), "it comes later, or never");
    }
}

fn the_clock_interrupts_in_time(machine: &Machine) {
    // What is due already is late at any time from now on.
    let earliest = machine.kernel.earliest_deadline().max(machine.now());
    assert!(
        machine.alarm() <= earliest || machine.must_repeat(machine.current()),
        "the clock interrupts in time"
    );
}

/// The priorities that follow from who waits for whom, computed from nothing: from the threads'
/// own priorities upwards until nothing changes.
#[must_use]
pub fn naive_priorities(kernel: &Kernel) -> Vec<u8> {
    let threads = kernel.tables().threads;
    let loans = loans(kernel);
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
fn loans(kernel: &Kernel) -> Vec<(u8, u8)> {
    let lends = |(client, _): &(u8, u8)| {
        let client = &kernel.tables().threads[usize::from(*client)];
        let fixed = client.sending().and_then(Channel::fixed_priority);
        fixed.is_none() && client.lends_priority()
    };
    pairs(kernel).into_iter().filter(lends).collect()
}

/// Who waits for whom: (waiter, the one that it waits for). Whose message waits at a channel waits for its
/// only receiver, or for those that serve a client of the channel.
fn pairs(kernel: &Kernel) -> Vec<(u8, u8)> {
    let threads = kernel.tables().threads;
    let mut pairs = Vec::new();
    for client in threads {
        let known = client.server().or(kernel.lock_owner(client));
        let known = known.or(client.joining());
        pairs.extend(known.map(|other| (client.index, other.index)));
        if let Some(channel) = client.sending() {
            let receivers = threads.iter().filter(|server| server.bound().is(channel));
            let servers = receivers
                .filter(|server| channel.has_one_receiver() || server.serves_its_channel());
            pairs.extend(servers.map(|server| (client.index, server.index)));
        }
    }
    pairs
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
