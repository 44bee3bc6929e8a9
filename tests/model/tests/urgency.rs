//! Who waits for a process that ends learns of it before anybody less urgent runs, whatever step its end has come to; and
//! what else a right, a limit and a chain of restarts do to an end that is half done.

use riposte_abi::{Error, RESET_DELAY, call::number, fault::action};
use riposte_kernel::{Access, OnEnd, Restart, State};
use riposte_model::{
    Call, Machine, ProcessId, System, ThreadId, both_paths, interrupt_at_each_step, ram, shared,
};

/// A process whose end is half done, at a low priority, is restarted by right from a high one.
/// Promise (supervision.md): "ending a process is work of the kernel's, done ... at least at that of the caller".
#[test]
#[cfg_attr(feature = "lean", ignore = "no controls")]
fn who_restarts_a_half_dead_process_does_not_wait_for_less_urgent_threads() {
    let mut wrong = vec![];
    interrupt_at_each_step(5, |steps| {
        let mut system = System::new();
        let [watchdogs, victim, others] = [(); 3].map(|()| system.process());
        let watchdog = system.thread(watchdogs, 9);
        let main = system.thread(victim, 4);
        let between = system.thread(others, 6);
        let position = system.control(watchdogs, victim);
        let mut machine = system.start(true);
        let m = &mut machine;
        m.call(watchdog, Call::sleep(m.now() + 100));
        m.call(between, Call::sleep(m.now() + 100));
        m.call(main, Call::null());
        let half = m.exit_interrupted(main, steps);
        m.set_now(m.now() + 100);
        m.interrupt();
        assert_eq!(m.current(), watchdog);
        m.call(watchdog, Call::restart(position));
        m.call(watchdog, Call::sleep(u64::MAX));
        // From here `between` computes for ever.
        m.finish();
        assert_eq!(m.current(), between);
        if !m.process(victim).is_alive() {
            wrong.push(steps);
        }
        half
    });
    assert_eq!(
        wrong,
        [],
        "restarted at 9, not started while a thread of 6 computes"
    );
}

/// How the process of a server that is blocked is ended, and by whom.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// By right, from 9.
    Restart,
    /// Another thread of it, of 4, exits.
    Exit,
    /// It is restarted with another one, of which a thread of 9 exits.
    Along,
}

/// The main thread of a process serves a client of 20, so that its effective priority is 20, and is blocked. The
/// process is ended. Before the client is told, a thread of 12 becomes ready, and computes.
#[test]
#[cfg_attr(feature = "lean", ignore = "no controls")]
fn a_process_ended_by_right_goes_at_the_priority_that_its_main_thread_has_inherited() {
    assert_eq!(delayed(How::Restart, true), []);
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no controls")]
fn a_process_ended_by_another_thread_goes_at_the_priority_that_its_main_thread_has_inherited() {
    assert_eq!(delayed(How::Exit, true), []);
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no controls or groups")]
fn a_process_restarted_along_goes_at_the_priority_that_its_main_thread_has_inherited() {
    assert_eq!(delayed(How::Along, true), []);
}

/// As above, but the server is the process's second thread: its priority is found, though not at once.
#[test]
#[cfg_attr(feature = "lean", ignore = "no controls")]
fn a_process_ended_by_right_goes_at_the_priority_of_its_threads_from_its_first_step_on() {
    assert_eq!(delayed(How::Restart, false), []);
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no controls")]
fn a_process_that_ends_goes_at_the_priority_of_its_threads_from_its_first_step_on() {
    assert_eq!(delayed(How::Exit, false), []);
}

/// After which steps the client of 20 waits for the thread of 12.
fn delayed(how: How, main_serves: bool) -> Vec<u32> {
    let mut wrong = vec![];
    interrupt_at_each_step(5, |steps| {
        let mut system = System::new();
        let [watchdogs, victim, others, clients] = [(); 4].map(|()| system.process());
        let watchdog = system.thread(watchdogs, 9);
        let main = system.thread(victim, 5);
        let sibling = system.thread(victim, 4);
        let between = system.thread(others, 12);
        let client = system.thread(clients, 20);
        let channel = system.channel(victim);
        let link = system.connection(clients, channel, 1);
        let position = system.control(watchdogs, victim);
        if how == How::Along {
            system.on_end(watchdogs, OnEnd::Restart);
            system.restart_with(victim, watchdogs);
        }
        let (server, other) = if main_serves {
            (main, sibling)
        } else {
            (sibling, main)
        };
        let mut machine = system.start(true);
        let m = &mut machine;
        let start = m.now();
        m.call(client, Call::sleep(start + 50));
        m.call(between, Call::sleep(start + 200));
        m.call(watchdog, Call::sleep(start + 100));
        if !main_serves {
            m.call(main, Call::sleep(start + 100));
        }
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive);
        m.advance_to(start + 50);
        m.call(client, Call::send(m.handle(link), &[1]));
        assert_eq!((m.current(), m.priority(server)), (server, 20));
        m.call(server, Call::sleep(u64::MAX));
        m.advance_to(start + 100);
        assert_eq!((m.current(), m.priority(server)), (watchdog, 20));
        match how {
            How::Restart => {
                m.host.interrupt_after(steps);
                m.call_once(watchdog, Call::restart(position));
            }
            How::Along => {
                m.exit_interrupted(watchdog, steps);
            }
            How::Exit => {
                m.call(watchdog, Call::sleep(u64::MAX));
                m.exit_interrupted(other, steps);
            }
        }
        let waits = m.state(client) == State::ReplyBlocked;
        let ended = !m.process(victim).is_alive();
        m.set_now(start + 200);
        m.interrupt();
        m.finish();
        if ended && waits && m.current() == between {
            assert_eq!(m.state(client), State::ReplyBlocked, "for ever");
            wrong.push(steps);
        }
        waits
    });
    wrong
}

/// The client waits for the dead, and somebody more urgent begins to wait for the client.
#[test]
fn the_end_of_a_process_follows_who_waits_for_its_clients() {
    let mut wrong = vec![];
    interrupt_at_each_step(5, |steps| {
        let mut system = System::new();
        let [victim, clients, others, urgents] = [(); 4].map(|()| system.process());
        let main = system.thread(victim, 5);
        let client = system.thread(clients, 6);
        let between = system.thread(others, 12);
        let urgent = system.thread(urgents, 20);
        let channel = system.channel(victim);
        let own = system.channel(clients);
        let link = system.connection(clients, channel, 1);
        let urgent_link = system.connection(urgents, own, 1);
        let mut machine = system.start(true);
        let m = &mut machine;
        let start = m.now();
        // The client is the only receiver of its channel from now on.
        m.call(urgent, Call::send(m.handle(urgent_link), &[1]));
        m.call(between, Call::sleep(start + 100));
        let receive = Call::receive(m.receive_handle(own));
        let token = m.answer_to(client, receive).token();
        m.call(client, Call::reply(token, &[]));
        m.call(urgent, Call::sleep(start + 100));
        m.call(client, Call::send(m.handle(link), &[1]));
        let receive = Call::receive(m.receive_handle(channel));
        m.call(main, receive);
        assert_eq!((m.current(), m.priority(main)), (main, 6));
        m.exit_interrupted(main, steps);
        let waits = m.state(client) == State::ReplyBlocked;
        m.set_now(start + 100);
        m.interrupt();
        assert_eq!(m.current(), urgent);
        m.call(urgent, Call::send(m.handle(urgent_link), &[1]));
        m.finish();
        assert_eq!(m.priority(client), 20);
        if waits && m.current() == between {
            wrong.push(steps);
        }
        waits
    });
    assert_eq!(wrong, []);
}

/// A thread that waits for messages owns a lock for which somebody of 20 waits.
#[test]
fn the_end_of_a_process_follows_who_waits_for_a_lock_of_one_that_receives() {
    let mut wrong = vec![];
    interrupt_at_each_step(5, |steps| {
        let mut system = System::new();
        let [victim, lockers, others] = [(); 3].map(|()| system.process());
        system.share(victim, Access::Shared);
        system.share(lockers, Access::Shared);
        let main = system.thread(victim, 4);
        let owner = system.thread(victim, 5);
        let locker = system.thread(lockers, 20);
        let between = system.thread(others, 12);
        let channel = system.channel(victim);
        let mut machine = system.start(true);
        let m = &mut machine;
        let start = m.now();
        let lock = |process: ProcessId| Call::lock(shared(process.0, Access::Shared).base + 4);
        m.call(locker, Call::sleep(start + 50));
        m.call(between, Call::sleep(start + 100));
        m.call(owner, lock(victim));
        let receive = Call::receive(m.receive_handle(channel));
        m.call(owner, receive);
        m.advance_to(start + 50);
        m.call(locker, lock(lockers));
        assert_eq!(m.state(locker), State::FutexBlocked);
        m.exit_interrupted(main, steps);
        let waits = m.state(locker) == State::FutexBlocked;
        m.set_now(start + 100);
        m.interrupt();
        m.finish();
        if waits && m.current() == between {
            wrong.push(steps);
        }
        waits
    });
    assert_eq!(wrong, []);
}

/// A thread of 6 that serves a client of 20 and many of 5 ends alone: who is told first runs before the others are told.
#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn who_waits_for_a_thread_that_ends_runs_before_those_who_are_less_urgent_are_told() {
    const MANY: usize = 40;
    let mut system = System::new();
    let [victim, clients] = [(); 2].map(|()| system.process());
    let main = system.thread(victim, 7);
    let server = system.thread(victim, 6);
    let urgent = system.thread(clients, 20);
    let many: Vec<_> = (0..MANY).map(|_| system.thread(clients, 5)).collect();
    let channel = system.channel(victim);
    let link = system.connection(clients, channel, 1);
    both_paths(&system, |m| {
        let start = m.now();
        m.call(urgent, Call::sleep(start + 100));
        m.call(main, Call::sleep(u64::MAX));
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive);
        for client in &many {
            m.call(*client, Call::send(m.handle(link), &[1]));
            m.call(server, receive);
        }
        m.advance_to(start + 100);
        m.call(urgent, Call::send(m.handle(link), &[1]));
        assert_eq!((m.current(), m.priority(server)), (server, 20));
        let over = m.call_once(server, Call::exit_thread(0));
        assert_eq!(m.answer(urgent).unwrap().error(), Some(Error::ServerDied));
        let told = many
            .iter()
            .filter(|it| m.state(**it) != State::ReplyBlocked);
        assert!(
            !over && told.count() == 0,
            "the least urgent were told first"
        );
        assert_eq!(m.current(), urgent);
        m.call(urgent, Call::sleep(u64::MAX));
        while !m.repeat(server) {
            m.interrupt();
        }
        assert!(many.iter().all(|it| m.state(*it) == State::Ready));
    });
}

/// The same of those who wait for a message of the thread that ends, and of nobody else's.
#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn who_waits_for_a_message_of_a_thread_that_ends_runs_before_those_who_are_less_urgent_are_told() {
    const MANY: usize = 7;
    let mut system = System::new();
    let [clients, servers] = [(); 2].map(|()| system.process());
    let main = system.thread(clients, 7);
    let client = system.thread(clients, 6);
    let urgent = system.thread(servers, 20);
    let many: Vec<_> = (0..MANY).map(|_| system.thread(servers, 5)).collect();
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 1);
    both_paths(&system, |m| {
        let start = m.now();
        let receive = Call::receive(m.receive_handle(channel));
        m.call(urgent, receive);
        m.call(main, Call::sleep(u64::MAX));
        m.call(client, Call::send(m.handle(link), &[1]));
        let token = m.answer(urgent).expect("a message").token();
        m.call(urgent, Call::reply(token, &[]));
        m.call(urgent, receive.from_token(token));
        m.call(client, Call::sleep(start + 200));
        for server in &many {
            m.call(*server, receive.from_token(token));
        }
        m.advance_to(start + 200);
        assert_eq!(m.current(), client);
        let over = m.call_once(client, Call::exit_thread(0));
        assert_eq!(m.answer(urgent).unwrap().error(), Some(Error::PeerDied));
        let told = many
            .iter()
            .filter(|it| m.state(**it) != State::ReceiveBlocked);
        assert!(
            !over && told.count() == 0,
            "the least urgent were told first"
        );
        assert_eq!(m.current(), urgent);
        m.call(urgent, Call::sleep(u64::MAX));
        while !m.repeat(client) {
            m.interrupt();
        }
        assert!(many.iter().all(|it| m.state(*it) == State::Ready));
    });
}

/// A client of 20 waits to be received by a process that begins late, and is stopped from 9 meanwhile; at a channel of this
/// priority, if that is fixed. After which steps it does not learn of that before a thread of 12 computes.
fn stopped_before_it_begins(fixed: Option<u8>) -> Vec<u32> {
    let mut wrong = vec![];
    interrupt_at_each_step(5, |steps| {
        let mut system = System::new();
        let [watchdogs, victim, clients, others] = [(); 4].map(|()| system.process());
        let watchdog = system.thread(watchdogs, 9);
        let main = system.thread(victim, 5);
        let client = system.thread(clients, 20);
        let between = system.thread(others, 12);
        let channel = system.channel(victim);
        if let Some(priority) = fixed {
            system.fixed_priority(channel, priority);
        }
        let link = system.connection(clients, channel, 1);
        let position = system.control(watchdogs, victim);
        system.on_end(victim, OnEnd::Restart);
        system.restart(
            victim,
            Restart {
                delay: 1_000_000,
                ..Restart::ALWAYS
            },
        );
        let mut machine = system.start(true);
        let m = &mut machine;
        let start = m.now();
        m.call(client, Call::sleep(start + 50));
        m.call(between, Call::sleep(start + 200));
        m.call(watchdog, Call::sleep(start + 100));
        m.fault(main);
        m.advance_to(start + 50);
        let open = Call::other(number::CONNECT, &[link.slot as u32]);
        let link = m.answer_to(client, open).word();
        m.call(client, Call::send(link, &[1]));
        assert_eq!(m.state(client), State::SendBlocked);
        m.advance_to(start + 100);
        m.host.interrupt_after(steps);
        m.call_once(watchdog, Call::stop(position));
        let waits = m.state(client) == State::SendBlocked;
        m.set_now(start + 200);
        m.interrupt();
        m.finish();
        if waits && m.current() == between {
            wrong.push(steps);
        }
        waits
    });
    wrong
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no controls or delays")]
fn who_waits_for_a_process_that_begins_late_learns_of_its_end_before_less_urgent_threads_run() {
    assert_eq!(stopped_before_it_begins(None), []);
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no controls or delays")]
fn who_waits_at_a_channel_of_fixed_priority_learns_of_its_end_before_less_urgent_threads_run() {
    assert_eq!(stopped_before_it_begins(Some(15)), []);
}

/// A process at its limit resets the machine a second later, whoever computes meanwhile.
#[test]
#[cfg_attr(feature = "lean", ignore = "no resets")]
fn the_last_resort_does_not_wait_for_more_urgent_threads() {
    let mut wrong = vec![];
    interrupt_at_each_step(5, |steps| {
        let mut system = System::new();
        let [victim, others] = [(); 2].map(|()| system.process());
        let main = system.thread(victim, 4);
        let between = system.thread(others, 12);
        system.on_end(victim, OnEnd::Restart);
        system.restart(
            victim,
            Restart {
                limit: 0,
                resets: true,
                ..Restart::ALWAYS
            },
        );
        let mut machine = system.start(true);
        let m = &mut machine;
        let start = m.now();
        m.call(between, Call::sleep(start + 100));
        m.call(main, Call::null());
        let half = m.exit_interrupted(main, steps);
        m.set_now(start + 100);
        m.interrupt();
        m.finish();
        assert_eq!(m.current(), between);
        m.advance(10 * RESET_DELAY);
        if m.host.resets() != 1 {
            wrong.push(steps);
        }
        half
    });
    assert_eq!(wrong, []);
}

/// A process that exits with 0 once too often resets the machine, and nobody was told.
#[test]
#[cfg_attr(feature = "lean", ignore = "no resets")]
fn nobody_resets_the_machine_without_a_word() {
    let mut system = System::new();
    let [supervisors, process] = [(); 2].map(|()| system.process());
    let supervisor = system.thread(supervisors, 9);
    let main = system.thread(process, 5);
    let faults = system.channel(supervisors);
    system.supervisor(faults);
    system.on_end(process, OnEnd::Restart);
    system.restart(
        process,
        Restart {
            limit: 1,
            resets: true,
            ..Restart::ALWAYS
        },
    );
    let mut machine = system.start(true);
    let m = &mut machine;
    let receive = Call::receive(m.receive_handle(faults));
    m.call(supervisor, receive);
    m.call(main, Call::other(number::EXIT, &[0]));
    m.call(main, Call::other(number::EXIT, &[0]));
    assert!(!m.process(process).is_alive());
    let told = m.state(supervisor) == State::Ready;
    m.advance(RESET_DELAY + 1);
    assert_eq!(m.host.resets(), 1);
    assert!(told, "the supervisor has a second to say why");
    assert_eq!(m.process(process).record().action, action::LIMIT);
}

/// The record says what became of a process, also when that was changed in the middle.
#[test]
#[cfg_attr(feature = "lean", ignore = "no controls")]
fn a_record_says_what_became_of_a_process_in_the_end() {
    let mut system = System::new();
    let [watchdogs, victim] = [(); 2].map(|()| system.process());
    let watchdog = system.thread(watchdogs, 9);
    let main = system.thread(victim, 4);
    system.on_end(victim, OnEnd::Restart);
    let position = system.control(watchdogs, victim);
    let mut machine = system.start(true);
    let m = &mut machine;
    m.call(watchdog, Call::sleep(m.now() + 100));
    m.call(main, Call::null());
    m.host.interrupt_after(3);
    m.fault(main);
    assert!(m.process(victim).is_dying());
    m.set_now(m.now() + 100);
    m.interrupt();
    assert_eq!(m.current(), watchdog);
    m.call(watchdog, Call::stop(position));
    m.call(watchdog, Call::sleep(u64::MAX));
    m.finish();
    assert!(!m.process(victim).is_alive());
    assert_eq!(m.process(victim).record().action, action::STOPPED);
}

const LINKS: usize = 20;

/// Who controls a chain of `restart_with` makes none of it wait for more than a few others at once, which a step would
/// have to walk along before it looks for interrupts.
#[test]
#[cfg_attr(feature = "lean", ignore = "no controls or groups")]
fn a_chain_of_restarts_is_not_walked_at_each_step() {
    let mut system = System::new();
    let watchdogs = system.process();
    let chain: Vec<ProcessId> = (0..LINKS).map(|_| system.process()).collect();
    let watchdog = system.thread(watchdogs, 9);
    let mains: Vec<ThreadId> = chain.iter().map(|it| system.thread(*it, 4)).collect();
    // As the image builder writes a chain: each names all that follow from it.
    for (index, cause) in chain.iter().enumerate() {
        for other in &chain[index + 1..] {
            system.restart_with(*other, *cause);
        }
    }
    let positions: Vec<u32> = chain
        .iter()
        .map(|it| system.control(watchdogs, *it))
        .collect();
    system.on_end(chain[0], OnEnd::Restart);
    let mut machine = system.start(true);
    let m: &mut Machine = &mut machine;
    m.call(watchdog, Call::sleep(m.now() + 100));
    m.call(mains[0], Call::null());
    m.host.interrupt_after(1);
    m.call_once(mains[0], Call::other(number::EXIT, &[0]));
    let mut most = 0;
    for _ in 0..100_000 {
        let dying: Vec<usize> = (0..LINKS)
            .filter(|it| m.process(chain[*it]).is_dying())
            .collect();
        if dying.is_empty() {
            break;
        }
        most = most.max(dying.len());
        if most > 8 {
            break;
        }
        // A step, and the watchdog, woken by the clock, asks for all that are half dead to be restarted.
        m.set_now(m.now() + 100);
        m.interrupt();
        if m.current() == watchdog {
            for it in dying {
                m.call(watchdog, Call::restart(positions[it]));
            }
            m.host.interrupt_after(2);
            m.call_once(watchdog, Call::sleep(m.now() + 100));
        }
    }
    assert!(
        most <= 8,
        "{most} of {LINKS} processes are half dead, one below the other"
    );
}

/// The same, of a process that was stopped, and is restarted later.
#[test]
#[cfg_attr(feature = "lean", ignore = "no controls")]
fn a_record_says_that_a_stopped_process_was_restarted() {
    let mut system = System::new();
    let [watchdogs, victim] = [(); 2].map(|()| system.process());
    let watchdog = system.thread(watchdogs, 9);
    system.thread(victim, 4);
    let position = system.control(watchdogs, victim);
    let mut machine = system.start(true);
    let m = &mut machine;
    m.call(watchdog, Call::stop(position));
    assert_eq!(m.process(victim).record().action, action::STOPPED);
    m.call(watchdog, Call::restart(position));
    assert!(m.process(victim).is_alive());
    assert_eq!(m.process(victim).record().action, action::RESTARTED);
}

/// A process of 5 is ended while a server of 20 has what it has lent. The server gives that back. Only the restart of the
/// other one follows from that, for which nobody waits.
#[test]
#[cfg_attr(feature = "lean", ignore = "no lent memory or controls")]
fn who_gives_back_what_the_dead_has_lent_does_not_wait_for_its_restart() {
    let mut system = System::new();
    let [watchdogs, home, servers] = [(); 3].map(|()| system.process());
    let watchdog = system.thread(watchdogs, 9);
    let lender = system.thread(home, 5);
    let server = system.thread(servers, 20);
    let position = system.control(watchdogs, home);
    system.windows(servers, 2, 0x1000);
    let channel = system.channel(servers);
    system.notify_unblock(channel);
    let link = system.connection(home, channel, 1);
    let mut machine = system.start(true);
    let m: &mut Machine = &mut machine;
    let start = m.now();
    let receive = Call::receive(m.receive_handle(channel));
    m.call(server, receive);
    m.call(watchdog, Call::sleep(start + 50));
    m.call(
        lender,
        Call::lend(m.handle(link), ram(home.0).base, 0x100, &[0; 3]),
    );
    let token = m.token_of(lender);
    assert_eq!(m.state(lender), State::ReplyBlocked);
    m.call(server, Call::sleep(start + 100));
    m.advance_to(start + 50);
    m.call(watchdog, Call::restart(position));
    m.call(watchdog, Call::sleep(u64::MAX));
    m.finish();
    assert!(!m.process(home).is_alive(), "it waits for its memory");
    m.advance_to(start + 100);
    assert_eq!(m.current(), server);
    m.host.interrupt_after(1);
    m.call_once(server, Call::reply(token, &[]));
    assert_eq!(
        m.current(),
        server,
        "steps of the restart of 5 go before 20"
    );
}

/// How the process of a server that waits for messages comes to be restarted.
#[derive(Clone, Copy, PartialEq)]
enum Cause {
    /// By right, from 9.
    ByRight,
    /// With another process, of 5.
    Along,
    /// A thread of its own, of 5, faults.
    Itself,
}

/// A server of 20 waits for messages. Its process is restarted, and a thread of 12 computes: after which steps the server
/// does not begin.
fn restarted(why: Cause) -> Vec<u32> {
    let mut wrong = vec![];
    interrupt_at_each_step(5, |steps| {
        let mut system = System::new();
        let [causes, victim, others] = [(); 3].map(|()| system.process());
        let cause = system.thread(causes, if why == Cause::ByRight { 9 } else { 5 });
        let server = system.thread(victim, 20);
        let sibling = system.thread(victim, 5);
        let between = system.thread(others, 12);
        let channel = system.channel(victim);
        let position = system.control(causes, victim);
        system.on_end(causes, OnEnd::Restart);
        system.on_end(victim, OnEnd::Restart);
        if why == Cause::Along {
            system.restart_with(victim, causes);
        }
        let mut machine = system.start(true);
        let m = &mut machine;
        let start = m.now();
        m.call(server, Call::other(number::START_THREADS, &[]));
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive);
        m.call(between, Call::sleep(start + 100));
        // Whoever begins it runs.
        match why {
            Cause::ByRight => m.call(cause, Call::null()),
            Cause::Along => m.call(sibling, Call::sleep(u64::MAX)),
            Cause::Itself => m.call(cause, Call::sleep(u64::MAX)),
        }
        m.host.interrupt_after(steps);
        match why {
            Cause::ByRight => {
                m.call_once(cause, Call::restart(position));
            }
            Cause::Along => m.fault(cause),
            Cause::Itself => m.fault(sibling),
        }
        let half = m.kernel.awaits_interrupt();
        m.set_now(start + 100);
        m.interrupt();
        m.finish();
        if !m.process(victim).is_alive() && m.current() == between {
            wrong.push(steps);
        }
        half
    });
    wrong
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no controls")]
fn an_urgent_server_that_is_restarted_by_right_begins_before_less_urgent_threads_run() {
    assert_eq!(restarted(Cause::ByRight), []);
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no controls or groups")]
fn an_urgent_server_that_is_restarted_along_begins_before_less_urgent_threads_run() {
    assert_eq!(restarted(Cause::Along), []);
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no controls")]
fn an_urgent_server_whose_less_urgent_thread_faults_begins_before_other_less_urgent_threads_run() {
    assert_eq!(restarted(Cause::Itself), []);
}
