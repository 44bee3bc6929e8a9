//! Threads that start and end at run time, and those that have dropped a level.

use riposte_kernel::{Kernel, Phase, Process, State, Thread};

/// Whatever is said of a thread in two places is said the same way.
pub fn consistent(kernel: &Kernel) {
    let tables = kernel.tables();
    for thread in tables.threads {
        waits_for_one_that_knows_it(thread);
        has_a_phase_of_its_state(thread);
        if thread.has_dropped() {
            let held = thread.process.is_held();
            assert!(thread.state() == State::Ready || held, "it has blocked");
            assert_eq!(thread.base.get() + 1, thread.given_priority());
        } else {
            assert_eq!(thread.base.get(), thread.given_priority());
        }
    }
    tables.processes.iter().for_each(|process| {
        free_threads_are_listed(process, tables.threads);
    });
}

fn waits_for_one_that_knows_it(thread: &'static Thread) {
    if let Some(other) = thread.joining() {
        assert!(other.joiner().is_some_and(|joiner| joiner.is(thread)));
        assert!(other.process.is(thread.process) && other.phase() == Phase::Joinable);
        assert_eq!(thread.state(), State::Joining);
    }
    if let Some(joiner) = thread.joiner() {
        assert!(joiner.joining().is_some_and(|joined| joined.is(thread)));
    }
}

fn has_a_phase_of_its_state(thread: &'static Thread) {
    if !thread.process.is_alive() {
        return;
    }
    let runs = matches!(thread.phase(), Phase::Joinable | Phase::Detached);
    let stopped = thread.state() == State::Stopped && !thread.process.is_held();
    let idle = thread.base.get() == 0 && !thread.is_spare();
    assert!(runs != stopped || idle, "thread {}", thread.index);
}

fn free_threads_are_listed(process: &'static Process, threads: &'static [Thread]) {
    if !process.is_alive() {
        return;
    }
    let own = threads.iter().filter(|thread| thread.process.is(process));
    let free = own.filter(|thread| thread.is_spare() && thread.phase() == Phase::Free);
    let listed = process.free_threads();
    assert_eq!(listed.len(), free.clone().count());
    for thread in free {
        assert!(listed.iter().any(|other| other.is(thread)));
    }
}
