//! Locks: who owns them, what the owner inherits, and what becomes of them.

use riposte_abi::{
    Error,
    lock::{OWNER_DIED, OWNER_MASK, WAITERS},
    thread,
};
use riposte_kernel::{Access, OnEnd, State};
use riposte_model::{Call, Machine, ProcessId, System, ThreadId, both_paths, ram, shared};

/// A lock of the first process.
fn word() -> u32 {
    ram(0).base + 0x800
}

/// Another one.
fn other_word() -> u32 {
    word() + 0x40
}

/// A process of threads with these priorities.
fn threads<const N: usize>(priorities: [u8; N]) -> (System, [ThreadId; N]) {
    let mut system = System::new();
    let process = system.process();
    system.on_end(process, OnEnd::Restart);
    let threads = priorities.map(|priority| system.thread(process, priority));
    (system, threads)
}

/// `thread` gets a free lock.
fn takes(m: &mut Machine, thread: ThreadId, word: u32) {
    assert_eq!(m.answer_to(thread, Call::lock(word)).word(), 0);
    assert_eq!(m.host.peek_word(word) & OWNER_MASK, m.thread(thread).id());
}

/// `thread` waits for a lock.
fn waits(m: &mut Machine, thread: ThreadId, word: u32) {
    m.call(thread, Call::lock(word));
    assert_eq!(m.state(thread), State::FutexBlocked);
    assert_ne!(m.host.peek_word(word) & WAITERS, 0);
}

/// Lets less urgent threads run for so long.
fn sleeps(m: &mut Machine, thread: ThreadId, time: u64) {
    let until = m.now() + time;
    m.call(thread, Call::sleep(until));
}

#[test]
fn a_lock_goes_to_the_most_urgent_waiter_and_to_the_first_of_equals() {
    let (system, [owner, first, second, third]) = threads([5, 8, 8, 9]);
    both_paths(&system, |m| {
        sleeps(m, third, 200);
        for thread in [first, second] {
            sleeps(m, thread, 100);
        }
        takes(m, owner, word());
        m.advance(100);
        waits(m, first, word());
        waits(m, second, word());
        m.advance(100);
        waits(m, third, word());
        assert_eq!(m.priority(owner), 9);
        m.call(owner, Call::unlock(word()));
        for (thread, priority) in [(third, 9), (first, 8), (second, 8)] {
            assert_eq!(m.current(), thread);
            assert_eq!(m.answer(thread).unwrap().word(), 0, "nobody died");
            assert_eq!(m.host.peek_word(word()) & OWNER_MASK, m.thread(thread).id());
            assert_eq!(m.priority(thread), priority);
            m.call(thread, Call::unlock(word()));
            if m.current() == thread {
                sleeps(m, thread, 1000);
            }
        }
        assert_eq!(m.host.peek_word(word()), 0);
        assert_eq!((m.current(), m.priority(owner)), (owner, 5));
    });
}

#[test]
fn rule_17_an_owner_inherits_through_locks_as_far_as_they_go_and_only_while_somebody_waits() {
    let (system, [low, middle, high, _]) = threads([4, 6, 9, 5]);
    both_paths(&system, |m| {
        sleeps(m, high, 200);
        sleeps(m, middle, 100);
        m.call(ThreadId(3), Call::sleep(9000));
        takes(m, low, word());
        m.advance(100);
        takes(m, middle, other_word());
        waits(m, middle, word());
        assert_eq!(m.priority(low), 6);
        m.advance(100);
        let until = m.now() + 50;
        m.call(high, Call::lock(other_word()).deadline(until));
        assert_eq!(
            [low, middle, high].map(|thread| m.priority(thread)),
            [9, 9, 9]
        );
        m.advance(50);
        assert_eq!(m.answer(high).unwrap().error(), Some(Error::TimedOut));
        assert_eq!([low, middle].map(|thread| m.priority(thread)), [6, 6]);
        sleeps(m, high, 10_000);
        m.call(low, Call::unlock(word()));
        assert_eq!((m.priority(low), m.current()), (4, middle));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_17_an_owner_is_told_how_urgent_it_is_by_who_waits() {
    let (system, [owner, waiter]) = threads([5, 8]);
    let told = |m: &mut Machine, own, effective| {
        let ask = Call::schedule(0, 0, thread::policy::SAME);
        let words = m.answer_to(owner, ask).words();
        assert_eq!(words, [own, thread::policy::FIFO, effective, 0, 0]);
    };
    both_paths(&system, |m| {
        sleeps(m, waiter, 100);
        takes(m, owner, word());
        told(m, 5, 5);
        m.advance(100);
        waits(m, waiter, word());
        told(m, 5, 8);
        let lower = Call::schedule(0, 3, thread::policy::SAME);
        assert_eq!(
            m.answer_to(owner, lower).words()[..3],
            [5, thread::policy::FIFO, 8]
        );
        told(m, 3, 8);
    });
}

/// A server whose client is a thread of another process, which shares memory with it.
struct Served {
    system: System,
    server: ThreadId,
    client: ThreadId,
    urgent: ThreadId,
    link: riposte_model::Connection,
    channel: riposte_model::ChannelId,
}

fn served() -> Served {
    let mut system = System::new();
    let servers = system.process();
    let clients = system.process();
    let server = system.thread(servers, 4);
    let client = system.thread(clients, 6);
    let urgent = system.thread(clients, 9);
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 1);
    for process in [servers, clients] {
        system.on_end(process, OnEnd::Restart);
        system.share(process, Access::Shared);
    }
    Served {
        system,
        server,
        client,
        urgent,
        link,
        channel,
    }
}

fn shared_word(process: usize) -> u32 {
    shared(process, Access::ReadWrite).base + 0x20
}

#[test]
fn rule_17_inheritance_goes_through_a_lock_and_the_message_that_its_owner_waits_for() {
    let s = served();
    both_paths(&s.system, |m| {
        let (channel, send) = (
            m.receive_handle(s.channel),
            Call::send(m.handle(s.link), &[1]),
        );
        sleeps(m, s.urgent, 100);
        takes(m, s.client, shared_word(1));
        m.call(s.client, send);
        m.call(s.server, Call::receive(channel));
        assert_eq!(m.priority(s.server), 6);
        m.advance(100);
        waits(m, s.urgent, shared_word(1));
        assert_eq!((m.priority(s.client), m.priority(s.server)), (9, 9));
        let answered = m.token_of(s.client);
        m.call(s.server, Call::reply_receive(channel, answered, &[]));
        m.call(s.client, Call::unlock(shared_word(1)));
        assert_eq!((m.current(), m.priority(s.client)), (s.urgent, 6));
    });
}

#[test]
fn rule_17_a_server_that_owns_a_lock_runs_as_its_waiter_while_it_serves_and_after() {
    let s = served();
    both_paths(&s.system, |m| {
        let (channel, send) = (
            m.receive_handle(s.channel),
            Call::send(m.handle(s.link), &[1]),
        );
        sleeps(m, s.urgent, 100);
        sleeps(m, s.client, 50);
        takes(m, s.server, shared_word(0));
        m.call(s.server, Call::receive(channel));
        m.advance(50);
        // It is waited for while it waits for a message itself.
        m.advance(50);
        waits(m, s.urgent, shared_word(1));
        m.call(s.client, send);
        assert_eq!(
            (m.current(), m.priority(s.server)),
            (s.server, 9),
            "not the client's 6"
        );
        let answered = m.token_of(s.client);
        m.call(s.server, Call::reply(answered, &[]));
        assert_eq!((m.current(), m.priority(s.server)), (s.server, 9));
        m.call(s.server, Call::unlock(shared_word(0)));
        assert_eq!((m.current(), m.priority(s.server)), (s.urgent, 4));
    });
}

#[test]
fn rule_17_a_waiter_that_comes_while_its_owner_serves_is_not_forgotten_by_the_answer() {
    let s = served();
    both_paths(&s.system, |m| {
        let (channel, send) = (
            m.receive_handle(s.channel),
            Call::send(m.handle(s.link), &[1]),
        );
        sleeps(m, s.urgent, 100);
        sleeps(m, s.client, 50);
        takes(m, s.server, shared_word(0));
        m.call(s.server, Call::receive(channel));
        m.advance(50);
        m.call(s.client, send);
        assert_eq!(m.current(), s.server);
        m.advance(50);
        waits(m, s.urgent, shared_word(1));
        let answered = m.token_of(s.client);
        m.call(s.server, Call::reply(answered, &[]));
        assert_eq!((m.current(), m.priority(s.server)), (s.server, 9));
    });
}

#[test]
fn nobody_waits_for_itself_by_locks() {
    let (system, [low, high]) = threads([4, 6]);
    both_paths(&system, |m| {
        sleeps(m, high, 100);
        takes(m, low, word());
        m.advance(100);
        takes(m, high, other_word());
        assert_eq!(m.refused(high, Call::lock(other_word())), Error::Deadlock);
        waits(m, high, word());
        let refused = m.refused(low, Call::lock(other_word()));
        assert_eq!(refused, Error::Deadlock);
        m.call(low, Call::unlock(word()));
        assert_eq!(m.current(), high);
    });
}

#[test]
fn nobody_waits_for_itself_by_locks_and_messages() {
    let s = served();
    both_paths(&s.system, |m| {
        let (channel, send) = (
            m.receive_handle(s.channel),
            Call::send(m.handle(s.link), &[1]),
        );
        sleeps(m, s.urgent, 1000);
        takes(m, s.client, shared_word(1));
        m.call(s.client, send);
        m.call(s.server, Call::receive(channel));
        let refused = m.refused(s.server, Call::lock(shared_word(0)));
        assert_eq!(refused, Error::Deadlock, "its client owns it");
    });
    both_paths(&s.system, |m| {
        let send = Call::send(m.handle(s.link), &[1]);
        sleeps(m, s.urgent, 1000);
        sleeps(m, s.client, 10);
        sleeps(m, s.server, 20);
        m.advance(10);
        takes(m, s.client, shared_word(1));
        sleeps(m, s.client, 20);
        m.advance(10);
        waits(m, s.server, shared_word(0));
        m.advance(10);
        let refused = m.refused(s.client, send);
        assert_eq!(refused, Error::Deadlock, "its server waits for it");
    });
}

#[test]
fn a_chain_of_locks_longer_than_the_manifest_allows_is_refused() {
    let (mut system, [first, second, third]) = threads([4, 5, 6]);
    system.depth(1);
    both_paths(&system, |m| {
        sleeps(m, third, 200);
        sleeps(m, second, 100);
        takes(m, first, word());
        m.advance(100);
        takes(m, second, other_word());
        waits(m, second, word());
        m.advance(100);
        assert_eq!(m.refused(third, Call::lock(other_word())), Error::Deadlock);
    });
}

#[test]
fn the_deadline_of_a_waiter_that_gets_the_lock_is_over() {
    let (system, [owner, waiter]) = threads([5, 8]);
    both_paths(&system, |m| {
        sleeps(m, waiter, 100);
        takes(m, owner, word());
        m.advance(100);
        let until = m.now() + 50;
        m.call(waiter, Call::lock(word()).deadline(until));
        m.call(owner, Call::unlock(word()));
        assert_eq!(m.answer(waiter).unwrap().error(), None);
        m.call(waiter, Call::futex_wait(other_word(), 0));
        m.advance(100);
        assert_eq!(m.state(waiter), State::FutexBlocked);
    });
}

#[test]
fn rule_23_a_wait_for_a_lock_has_a_deadline() {
    let (system, [owner, waiter]) = threads([4, 6]);
    both_paths(&system, |m| {
        sleeps(m, waiter, 100);
        takes(m, owner, word());
        m.advance(100);
        let lock = Call::lock(word());
        assert_eq!(m.refused(waiter, lock.deadline(0)), Error::WouldBlock);
        let now = m.now();
        assert_eq!(m.refused(waiter, lock.deadline(now)), Error::TimedOut);
        assert_eq!(m.host.peek_word(word()) & WAITERS, 0, "nothing has changed");
        m.call(waiter, lock.deadline(now + 10));
        assert_eq!(m.priority(owner), 6);
        m.advance(10);
        assert_eq!(m.answer(waiter).unwrap().error(), Some(Error::TimedOut));
        assert_eq!(m.priority(owner), 4);
        sleeps(m, waiter, 1000);
        m.call(owner, Call::unlock(word()));
        assert_eq!(m.host.peek_word(word()), 0);
    });
}

#[test]
fn a_free_lock_is_had_even_by_who_must_not_block() {
    let (system, [thread]) = threads([4]);
    both_paths(&system, |m| {
        let answer = m.answer_to(thread, Call::lock(word()).deadline(0));
        assert_eq!((answer.error(), answer.word()), (None, 0));
    });
}

#[test]
fn what_one_does_not_own_is_not_given_up() {
    let (system, [owner, other]) = threads([6, 6]);
    both_paths(&system, |m| {
        takes(m, owner, word());
        for word in [word(), other_word()] {
            assert_eq!(m.refused(other, Call::unlock(word)), Error::NotPermitted);
        }
    });
}

#[test]
fn the_lock_of_an_owner_that_dies_goes_to_the_most_urgent_waiter_who_is_told() {
    let s = served();
    both_paths(&s.system, |m| {
        sleeps(m, s.urgent, 100);
        sleeps(m, s.client, 50);
        takes(m, s.server, shared_word(0));
        m.advance(50);
        waits(m, s.client, shared_word(1));
        m.advance(50);
        waits(m, s.urgent, shared_word(1));
        assert_eq!((m.current(), m.priority(s.server)), (s.server, 9));
        m.fault(s.server);
        assert_eq!(m.current(), s.urgent);
        assert_eq!(m.answer(s.urgent).unwrap().word(), 1);
        let id = m.thread(s.urgent).id();
        let value = m.host.peek_word(shared_word(1));
        assert_eq!(value, id | OWNER_DIED | WAITERS);
        // It does not put it in order: the next one is told, too.
        m.call(s.urgent, Call::unlock(shared_word(1)));
        sleeps(m, s.urgent, 1000);
        assert_eq!(
            (m.current(), m.answer(s.client).unwrap().word()),
            (s.client, 1)
        );
        let id = m.thread(s.client).id();
        assert_eq!(m.host.peek_word(shared_word(1)), id | OWNER_DIED);
        m.host.poke_word(shared_word(1), id);
        m.call(s.client, Call::unlock(shared_word(1)));
        assert_eq!(m.host.peek_word(shared_word(1)), 0);
        // The owner's next life knows nothing of it.
        sleeps(m, s.client, 1000);
        takes(m, s.server, shared_word(0));
    });
}

#[test]
fn a_lock_whose_owner_has_died_unobserved_goes_to_who_asks_for_it() {
    let s = served();
    both_paths(&s.system, |m| {
        sleeps(m, s.urgent, 100);
        sleeps(m, s.client, 50);
        takes(m, s.server, shared_word(0));
        m.fault(s.server);
        m.advance(50);
        let answer = m.answer_to(s.client, Call::lock(shared_word(1)));
        assert_eq!(answer.word(), 1);
        let id = m.thread(s.client).id();
        assert_eq!(m.host.peek_word(shared_word(1)), id | OWNER_DIED);
    });
}

#[test]
fn a_waiter_that_dies_leaves_the_lock_to_the_next_one_and_lends_nothing_any_more() {
    let s = served();
    both_paths(&s.system, |m| {
        sleeps(m, s.urgent, 100);
        sleeps(m, s.client, 50);
        takes(m, s.server, shared_word(0));
        m.advance(50);
        waits(m, s.client, shared_word(1));
        assert_eq!(m.priority(s.server), 6);
        m.advance(50);
        m.fault(s.urgent);
        assert_ne!(m.state(s.client), State::FutexBlocked, "it has ended, too");
        m.call(s.client, Call::sleep(u64::MAX));
        assert_eq!((m.current(), m.priority(s.server)), (s.server, 4));
        m.call(s.server, Call::unlock(shared_word(0)));
        assert_eq!(m.host.peek_word(shared_word(0)), 0);
    });
}

#[test]
fn owner_and_waiters_that_die_together_leave_a_lock_that_can_be_had() {
    let s = served();
    both_paths(&s.system, |m| {
        sleeps(m, s.urgent, 50);
        takes(m, s.client, shared_word(1));
        m.advance(50);
        waits(m, s.urgent, shared_word(1));
        m.fault(s.client);
        m.call(s.client, Call::sleep(u64::MAX));
        let answer = m.answer_to(s.server, Call::lock(shared_word(0)));
        assert_eq!(answer.word(), 1);
        m.call(s.server, Call::unlock(shared_word(0)));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no holding")]
fn a_held_owner_keeps_its_lock_and_who_waits_for_it_waits_on() {
    let mut s = served();
    s.system.on_end(ProcessId(0), OnEnd::Hold);
    both_paths(&s.system, |m| {
        sleeps(m, s.urgent, 100);
        sleeps(m, s.client, 50);
        takes(m, s.server, shared_word(0));
        m.advance(50);
        waits(m, s.client, shared_word(1));
        m.fault(s.server);
        assert_eq!(m.state(s.client), State::FutexBlocked);
        m.advance(50);
        let until = m.now() + 10;
        m.call(s.urgent, Call::lock(shared_word(1)).deadline(until));
        m.advance(10);
        let error = m.answer(s.urgent).unwrap().error();
        assert_eq!(error, Some(Error::TimedOut));
    });
}

#[test]
fn words_that_name_nobody_who_lives_are_locks_that_a_dead_owner_has_left() {
    let s = served();
    both_paths(&s.system, |m| {
        let idle = m.thread(m.idle());
        let server = m.thread(s.server);
        let garbage = [
            thread::id(200, 1),
            thread::id(u32::from(server.index), 77),
            thread::id(u32::from(server.index), thread::MAX_LIFE),
            OWNER_MASK,
            1,
            // It lives, but cannot write there.
            idle.id(),
        ];
        for value in garbage {
            for flags in [0, WAITERS, OWNER_DIED, WAITERS | OWNER_DIED] {
                m.host.poke_word(shared_word(1), value | flags);
                let answer = m.answer_to(s.urgent, Call::lock(shared_word(1)));
                assert_eq!(answer.word(), 1, "{value:x}");
                let id = m.thread(s.urgent).id();
                assert_eq!(m.host.peek_word(shared_word(1)), id | OWNER_DIED);
                m.call(s.urgent, Call::unlock(shared_word(1)));
                assert_eq!(m.host.peek_word(shared_word(1)), OWNER_DIED);
            }
        }
        m.host.poke_word(shared_word(1), WAITERS);
        assert_eq!(m.answer_to(s.urgent, Call::lock(shared_word(1))).word(), 0);
    });
}

#[test]
fn a_hostile_word_urges_no_stranger() {
    let mut system = System::new();
    let [hostile, honest, stranger] = [0; 3].map(|_| system.process());
    let attacker = system.thread(hostile, 5);
    let victim = system.thread(honest, 9);
    let third = system.thread(stranger, 4);
    for process in [hostile, honest] {
        system.share(process, Access::Shared);
    }
    // It may look, which is not enough to own a lock.
    system.share(stranger, Access::Read);
    both_paths(&system, |m| {
        let (here, there) = (shared_word(0), shared_word(1));
        m.host.poke_word(here, m.thread(third).id());
        assert_eq!(m.answer_to(victim, Call::lock(there)).word(), 1);
        assert_eq!(m.priority(third), 4);
        // The attacker gives the victim's lock to itself: it is its own from then on.
        m.host.poke_word(here, m.thread(attacker).id());
        assert_eq!(m.refused(victim, Call::unlock(there)), Error::NotPermitted);
        let until = m.now() + 10;
        m.call(victim, Call::lock(there).deadline(until));
        // And lets it wait for nobody: only its deadline helps the victim, or the attacker's end.
        m.host.poke_word(here, 0);
        takes(m, attacker, here);
        m.advance(10);
        let error = m.answer(victim).unwrap().error();
        assert_eq!(error, Some(Error::TimedOut));
        assert_eq!(m.priority(attacker), 5);
    });
}

#[test]
fn a_waiter_whose_lock_changed_hands_by_force_is_woken_by_the_end_of_whom_it_waited_for() {
    let s = served();
    both_paths(&s.system, |m| {
        sleeps(m, s.urgent, 100);
        sleeps(m, s.client, 50);
        takes(m, s.server, shared_word(0));
        m.advance(50);
        waits(m, s.client, shared_word(1));
        m.host.poke_word(shared_word(0), m.thread(s.urgent).id());
        assert_eq!(
            m.refused(s.server, Call::unlock(shared_word(0))),
            Error::NotPermitted
        );
        m.fault(s.server);
        assert_eq!(
            (m.current(), m.answer(s.client).unwrap().word()),
            (s.client, 1)
        );
    });
}
