//! What a thirteenth reading asked for: changes of the kernel that break a promise, and that no test found.

use riposte_abi::{Error, notice, thread::policy};
use riposte_kernel::{OnEnd, State};
use riposte_model::{Call, Machine, System, both_paths, interrupt_at_each_step, ram};

/// A main thread of 15 sleeps, and its process is stopped from 9. A thread of 12 becomes ready amid that.
#[test]
fn the_end_of_a_process_goes_at_the_priority_of_its_main_thread_though_that_sleeps() {
    interrupt_at_each_step(5, |steps| {
        let mut system = System::new();
        let [watchdogs, victim, others] = [(); 3].map(|()| system.process());
        let watchdog = system.thread(watchdogs, 9);
        let main = system.thread(victim, 15);
        let between = system.thread(others, 12);
        let position = system.control(watchdogs, victim);
        let mut machine = system.start(true);
        let m = &mut machine;
        let start = m.now();
        m.call(main, Call::sleep(u64::MAX));
        m.call(between, Call::sleep(start + 100));
        m.host.interrupt_after(steps);
        m.call_once(watchdog, Call::stop(position));
        let half = m.process(victim).is_dying();
        m.set_now(start + 100);
        m.interrupt();
        m.finish();
        assert_eq!(m.current(), between);
        assert!(!m.process(victim).is_dying(), "after {steps} steps");
        half
    });
}

#[test]
fn rule_24_a_restarted_process_has_the_priority_of_its_manifest_whatever_it_gave_itself_before() {
    let mut system = System::new();
    let process = system.process();
    let [main, second] = [12, 11].map(|priority| system.thread(process, priority));
    system.priority_limit(process, 20);
    system.on_end(process, OnEnd::Restart);
    both_paths(&system, |m| {
        let id = m.thread(second).id();
        m.call(main, Call::schedule(0, 7, policy::ROUND_ROBIN));
        m.call(second, Call::schedule(id, 20, policy::SAME));
        m.fault(second);
        m.prepare(main);
        assert_eq!([main, second].map(|it| m.priority(it)), [12, 11]);
        let was = m.answer_to(main, Call::schedule(0, 0, policy::SAME));
        assert_eq!(was.words()[..2], [12, policy::FIFO]);
    });
}

/// The supervisor is told of a process that somebody restarts or stops in the middle of an end of which nobody would be
/// told.
#[test]
fn who_is_restarted_or_stopped_by_right_amid_an_end_of_its_own_is_reported() {
    for call in [Call::restart, Call::stop] {
        interrupt_at_each_step(5, |steps| {
            let mut system = System::new();
            let [watchdogs, victim, supervisors] = [(); 3].map(|()| system.process());
            let watchdog = system.thread(watchdogs, 9);
            let main = system.thread(victim, 4);
            let supervisor = system.thread(supervisors, 3);
            let faults = system.channel(supervisors);
            system.supervisor(faults);
            system.on_end(victim, OnEnd::Stop);
            let position = system.control(watchdogs, victim);
            let mut machine = system.start(true);
            let m = &mut machine;
            m.call(watchdog, Call::sleep(m.now() + 100));
            let half = m.exit_interrupted(main, steps);
            m.set_now(m.now() + 100);
            m.interrupt();
            m.call(watchdog, call(position));
            m.call(watchdog, Call::sleep(u64::MAX));
            m.finish();
            if m.process(victim).is_alive() {
                m.call(main, Call::sleep(u64::MAX));
            }
            if half {
                let told = m.answer_to(supervisor, Call::receive(m.receive_handle(faults)));
                assert_eq!(told.notice(), Some(notice::FAULT), "after {steps} steps");
            }
            half
        });
    }
}

/// A dead process waits for the memory that it has lent, and is restarted along with another one. Amid that its memory
/// comes back.
#[test]
fn who_waits_for_its_memory_is_restarted_along_whenever_that_comes_back() {
    interrupt_at_each_step(10, |steps| {
        let mut system = System::new();
        let [leaders, home, servers] = [(); 3].map(|()| system.process());
        let leader = system.thread(leaders, 6);
        let lender = system.thread(home, 5);
        let server = system.thread(servers, 20);
        system.on_end(leaders, OnEnd::Restart);
        system.restart_with(home, leaders);
        let position = system.control(servers, home);
        system.windows(servers, 2, 0x1000);
        let channel = system.channel(servers);
        system.notify_unblock(channel);
        let link = system.connection(home, channel, 1);
        let mut machine = system.start(true);
        let m: &mut Machine = &mut machine;
        let start = m.now();
        m.call(server, Call::receive(m.receive_handle(channel)));
        m.call(leader, Call::sleep(start + 100));
        let lend = Call::lend(m.handle(link), ram(home.0).base, 0x100, &[0; 3]);
        m.call(lender, lend);
        let token = m.token_of(lender);
        m.call(server, Call::restart(position));
        m.call(server, Call::sleep(start + 200));
        m.finish();
        assert!(!m.process(home).is_alive(), "it waits for its memory");
        m.advance_to(start + 100);
        let half = m.exit_interrupted(leader, steps);
        m.set_now(start + 200);
        m.interrupt();
        m.call(server, Call::reply(token, &[]));
        m.call(server, Call::sleep(u64::MAX));
        m.finish();
        m.call(leader, Call::sleep(u64::MAX));
        m.finish();
        for process in [leaders, home] {
            assert!(m.process(process).is_alive(), "after {steps} steps");
            assert!(!m.process(process).is_dying(), "after {steps} steps");
        }
        assert_eq!(m.state(lender), State::Ready);
        half
    });
}

/// A client waits to be received by a process that ends, and owns a lock. Amid that end a thread of 20 begins to wait for
/// the lock, and one of 12 becomes ready.
#[test]
fn the_end_of_a_process_follows_who_waits_for_those_that_it_has_not_received() {
    interrupt_at_each_step(5, |steps| {
        let mut system = System::new();
        let [victim, clients, others] = [(); 3].map(|()| system.process());
        let main = system.thread(victim, 5);
        let client = system.thread(clients, 6);
        let urgent = system.thread(clients, 20);
        let between = system.thread(others, 12);
        let channel = system.channel(victim);
        let link = system.connection(clients, channel, 1);
        let mut machine = system.start(true);
        let m = &mut machine;
        let start = m.now();
        let word = ram(clients.0).base;
        m.call(urgent, Call::sleep(start + 100));
        m.call(between, Call::sleep(start + 100));
        m.call(client, Call::lock(word));
        m.call(client, Call::send(m.handle(link), &[1]));
        m.exit_interrupted(main, steps);
        let waits = m.state(client) == State::SendBlocked;
        m.set_now(start + 100);
        m.interrupt();
        m.call(urgent, Call::lock(word));
        m.finish();
        let told = m.current() == client && m.state(client) == State::Ready;
        assert!(told, "after {steps} steps");
        waits
    });
}

/// One of two servers of a fixed priority owns a lock for which one waits whose priority is the server's own, and gives it
/// up.
#[test]
fn rule_17_a_server_of_a_fixed_priority_that_gives_up_a_lock_is_at_that_priority_again() {
    let mut system = System::new();
    let process = system.process();
    let [server, other, locker] = [9, 9, 9].map(|priority| system.thread(process, priority));
    let channel = system.channel(process);
    system.fixed_priority(channel, 3);
    let word = ram(process.0).base;
    both_paths(&system, |m| {
        let start = m.now();
        m.call(server, Call::lock(word));
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive.deadline(start + 50));
        m.call(other, receive);
        m.call(locker, Call::sleep(start + 100));
        m.advance_to(start + 50);
        assert_eq!((m.current(), m.priority(server)), (server, 3));
        m.advance_to(start + 100);
        m.call(locker, Call::lock(word));
        assert_eq!((m.current(), m.priority(server)), (server, 9));
        m.call_once(server, Call::unlock(word));
        assert_eq!((m.current(), m.priority(server)), (locker, 3));
    });
}

/// Receivers that serve a client are as many as may be waited for, and a server in front of them is one more.
#[test]
fn rule_26_a_chain_that_ends_at_several_receivers_is_as_long_as_the_depth_at_most() {
    for depth in [3, 4] {
        let mut system = System::new();
        system.depth(depth);
        let [last, clients, middle, firsts] = [(); 4].map(|()| system.process());
        let receivers = [(); 3].map(|()| system.thread(last, 10));
        let served = [(); 3].map(|()| system.thread(clients, 9));
        let server = system.thread(middle, 9);
        let first = system.thread(firsts, 9);
        let channel = system.channel(last);
        let own = system.channel(middle);
        let links = [clients, middle].map(|process| system.connection(process, channel, 1));
        let link = system.connection(firsts, own, 1);
        both_paths(&system, |m| {
            let receive = Call::receive(m.receive_handle(channel));
            for receiver in receivers {
                m.call(receiver, receive);
            }
            for client in served {
                m.call(client, Call::send(m.handle(links[0]), &[]));
            }
            for receiver in receivers {
                m.call(receiver, Call::sleep(u64::MAX));
            }
            m.call(server, Call::send(m.handle(links[1]), &[]));
            let send = Call::send(m.handle(link), &[]);
            if depth == 3 {
                assert_eq!(m.refused(first, send), Error::Deadlock);
            } else {
                m.call(first, send);
                assert_eq!(m.state(first), State::SendBlocked);
            }
        });
    }
}

#[test]
fn whoever_has_received_from_a_channel_with_as_many_receivers_as_may_be_does_so_again() {
    let mut system = System::new();
    system.depth(2);
    let process = system.process();
    let receivers = [(); 3].map(|()| system.thread(process, 10));
    let channel = system.channel(process);
    both_paths(&system, |m| {
        let receive = Call::receive(m.receive_handle(channel));
        for _ in 0..2 {
            let soon = m.now() + 10;
            for receiver in &receivers[..2] {
                m.call(*receiver, receive.deadline(soon));
                assert_eq!(m.state(*receiver), State::ReceiveBlocked);
            }
            assert_eq!(m.refused(receivers[2], receive), Error::Exhausted);
            m.call(receivers[2], Call::sleep(m.now() + 20));
            m.advance_to(soon);
            for receiver in &receivers[..2] {
                m.call(*receiver, Call::sleep(soon + 10));
            }
            m.advance_to(soon + 10);
        }
    });
}

/// What somebody waits for who makes it the only one that a channel has, and goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Waits {
    /// A lock that the sender itself owns.
    TheSendersLock,
    /// A lock.
    Lock,
    /// The same, with a deadline.
    LockFor,
    /// A reply in registers.
    Reply,
}

/// Two threads have received from a channel, and serve nobody. One waits for somebody else, and a thread of 20 for one of
/// them. Then the other one goes to another channel.
#[test]
fn rule_16_who_comes_to_be_the_only_receiver_while_it_waits_is_raised_when_it_goes_on() {
    for waits in [
        Waits::TheSendersLock,
        Waits::Lock,
        Waits::LockFor,
        Waits::Reply,
    ] {
        let mut system = System::new();
        let [process, others] = [(); 2].map(|()| system.process());
        let urgent = system.thread(process, 20);
        let [receiver, leaver, owner] = [5, 5, 4].map(|priority| system.thread(process, priority));
        let server = system.thread(others, 6);
        let [channel, other] = [(); 2].map(|()| system.channel(process));
        let asked = system.channel(others);
        let [link, ask] = [channel, asked].map(|to| system.connection(process, to, 1));
        let word = ram(process.0).base;
        both_paths(&system, |m| {
            let start = m.now();
            let receive = Call::receive(m.receive_handle(channel));
            if waits == Waits::TheSendersLock {
                m.call(urgent, Call::lock(word));
            }
            m.call(urgent, Call::sleep(start + 100));
            m.call(server, Call::receive(m.receive_handle(asked)));
            for thread in [receiver, leaver] {
                m.call(thread, receive.deadline(start + 10));
            }
            if waits != Waits::TheSendersLock {
                m.call(owner, Call::lock(word));
            }
            m.advance_to(start + 10);
            m.call(
                receiver,
                match waits {
                    Waits::Reply => Call::send(m.handle(ask), &[1]),
                    Waits::Lock => Call::lock(word),
                    _ => Call::lock(word).deadline(start + 10_000),
                },
            );
            if waits == Waits::Reply {
                m.call(server, Call::sleep(start + 200));
            }
            m.call(leaver, Call::sleep(start + 50));
            m.advance_to(start + 100);
            m.call(urgent, Call::send(m.handle(link), &[2]));
            assert_eq!(m.state(urgent), State::SendBlocked);
            m.call(leaver, Call::receive(m.receive_handle(other)));
            match waits {
                Waits::TheSendersLock => return,
                Waits::Lock | Waits::LockFor => m.call(owner, Call::unlock(word)),
                Waits::Reply => {
                    m.advance_to(start + 200);
                    let token = m.token_of(receiver);
                    let next = m.receive_handle(asked);
                    m.call(server, Call::reply_receive(next, token, &[]));
                }
            }
            assert_eq!(m.state(receiver), State::Ready, "{waits:?}");
            assert_eq!(m.priority(receiver), 20, "{waits:?}");
        });
    }
}
