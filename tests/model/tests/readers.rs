//! What a process that may only read a region can do to those who write it. Found by a hostile reading; these tests
//! fail.
//!
//! Broken: "who may only look at memory neither takes anybody's wake away nor makes one" (docs/src/abi.md, words and
//! locks). It is only kept from waking: it may *wait* at the same word, ahead of all others if it is more urgent, and so
//! gets the wake, or the unit, that was meant for one of those who share the word.

use riposte_abi::semaphore::WAITERS;
use riposte_kernel::{Access, State};
use riposte_model::{Call, Machine, System, ThreadId, both_paths, shared};

/// A writer and a waiter, which both may write the region, each in a process of its own; and a spy, which may only
/// read it.
fn system() -> (System, [ThreadId; 3]) {
    let mut system = System::new();
    let processes = [(); 3].map(|()| system.process());
    let [writer, waiter, spy] = [(0, 5), (1, 8), (2, 9)]
        .map(|(process, priority)| system.thread(processes[process], priority));
    system.share(processes[0], Access::Shared);
    system.share(processes[1], Access::Shared);
    system.share(processes[2], Access::Read);
    (system, [writer, waiter, spy])
}

/// The word, as each process sees it.
fn word() -> [u32; 3] {
    [0, 1, 2].map(|process| shared(process, Access::Read).base + 8)
}

/// The waiter and the spy wait at the word, which holds `value`.
fn both_wait(m: &mut Machine, [_, waiter, spy]: [ThreadId; 3], value: u32) {
    let [here, there, spied] = word();
    m.host.poke_word(here, value);
    m.call(spy, Call::futex_wait(spied, value));
    m.call(waiter, Call::futex_wait(there, value));
    assert_eq!(m.state(waiter), State::FutexBlocked);
}

/// A semaphore between two honest processes loses each unit that is given while the spy waits: it goes to the spy, who
/// could never have taken it, and the honest waiter waits on (`Semaphore::take` has no end then).
#[test]
fn who_may_only_read_a_semaphore_is_given_no_unit_of_it() {
    let (system, threads) = system();
    both_paths(&system, |m| {
        both_wait(m, threads, WAITERS);
        m.call(threads[0], Call::futex_give(word()[0]));
        assert_ne!(m.state(threads[1]), State::FutexBlocked, "the unit is lost");
    });
}

/// A queue, mailbox or condition variable wakes one of those who wait (`Event::signal(1)`): the spy gets each of these
/// wakes, and the honest receiver sleeps beside a full queue.
#[test]
fn who_may_only_read_a_word_takes_nobodys_wake_away() {
    let (system, threads) = system();
    both_paths(&system, |m| {
        both_wait(m, threads, 7);
        m.call(threads[0], Call::futex_wake(word()[0], 1));
        assert_ne!(m.state(threads[1]), State::FutexBlocked, "the wake is lost");
    });
}
