//! The kernel notices by itself that its state is none that it can have.

use riposte_model::{Machine, Pair};

/// Two threads at 10, of which the server waits for a message. Then something is spoilt.
fn spoil(spoil: impl Fn(&Pair, &Machine)) {
    let pair = Pair::new();
    let mut machine = pair.system.start(true);
    pair.receive(&mut machine);
    machine.kernel.check_invariants();
    spoil(&pair, &machine);
    machine.kernel.check_invariants();
}

#[test]
#[should_panic(expected = "the running thread is ready")]
fn a_blocked_thread_that_runs_is_noticed() {
    spoil(|pair, m| m.kernel.current.set(m.thread(pair.server)));
}

#[test]
#[should_panic(expected = "on a list where it does not wait")]
fn a_running_thread_that_is_queued_too_is_noticed() {
    spoil(|_, m| m.kernel.current.set(m.thread(m.idle())));
}

#[test]
#[should_panic(expected = "has a priority that nobody gave it")]
fn a_priority_that_nobody_gave_is_noticed() {
    spoil(|pair, m| m.thread(pair.server).base.set(11));
}
