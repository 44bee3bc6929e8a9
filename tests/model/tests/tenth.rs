//! What a tenth reading has found: signals, and the common cases that leave the general ones.

use riposte_abi::{
    Error,
    fault::reason,
    notice,
    signal::{OWN, frame, how, number},
};
use riposte_kernel::{Access, State};
use riposte_model::{
    Call, Machine, ProcessId, System, ThreadId, both_paths, interrupt_at_each_step, ram, shared,
};

const ALL: u64 = u64::MAX;
const USER: u32 = 10;
const TERM: u32 = 15;
/// Bytes of a handler's frame: what the kernel keeps, and 14 registers of the model's.
const FRAME: u32 = (frame::WORDS as u32 + 14) * 4;

/// A thread says where signals go, and masks none.
fn take(m: &mut Machine, process: ProcessId, thread: ThreadId) {
    m.call(thread, Call::action(process, ALL));
    m.call(thread, Call::mask(how::SET, 0));
}

/// A process of one thread that takes signals.
fn alone() -> (System, ProcessId, ThreadId) {
    let mut system = System::new();
    let process = system.process();
    let thread = system.thread(process, 5);
    system.signal_queue(process, 1);
    (system, process, thread)
}

/// A handler says in its frame that another one lies at an odd address, where a whole frame stands. The processor would
/// fault in the kernel that loads words from there.
#[test]
fn a_frame_that_no_handler_can_have_begun_with_is_none() {
    let (system, process, thread) = alone();
    for beside in [1, 2, 4, 8] {
        both_paths(&system, |m| {
            take(m, process, thread);
            m.call(thread, Call::action(process, 0));
            m.call(thread, Call::signal(OWN, TERM, 0));
            let outer = m.handler(thread).expect("a handler").stack_pointer;
            let whole = m.host.peek(outer, FRAME);
            m.call(thread, Call::signal(OWN, USER, 0));
            let inner = m.handler(thread).expect("another").stack_pointer;
            let forged = ram(process.0).base + beside;
            m.host.poke(forged, &whole);
            m.host.poke_word(inner + 8, forged);
            m.end_handler(thread);
            m.call(thread, Call::about_signals(number::RETURN, &[forged]));
            assert!(!m.process(process).is_alive());
            assert_eq!(m.process(process).record().reason, reason::SIGNAL_FRAME);
        });
    }
}

/// What a thread masks only while it waits for signals is due when it waits no more.
#[test]
fn a_wait_for_signals_that_ends_by_its_deadline_leaves_none_that_it_has_masked() {
    let mut system = System::new();
    let [process, senders] = [(); 2].map(|()| system.process());
    let thread = system.thread(process, 5);
    let sender = system.thread(senders, 9);
    let position = system.signal(senders, process);
    system.signal_queue(process, 1);
    both_paths(&system, |m| {
        m.call(sender, Call::sleep(m.now() + 100));
        take(m, process, thread);
        let until = m.now() + 150;
        m.call(thread, Call::suspend(1 << TERM).deadline(until));
        m.advance(100);
        m.call(sender, Call::signal(position, TERM, 0));
        m.call(sender, Call::sleep(1 << 40));
        assert_eq!(m.state(thread), State::Signalled);
        m.advance_to(until);
        assert_eq!(m.handles(thread), Some(TERM));
        m.end_handler(thread);
        let answer = m.answer(thread).expect("it returns");
        assert_eq!(answer.error(), Some(Error::TimedOut));
    });
}

/// An urgent thread that gives up a lock, or gives a unit, in the midst of the end of the first that waits for that: its
/// call is executed again, and is over then.
#[test]
fn a_call_that_the_end_of_another_repeats_leaves_no_signal_waiting() {
    let mut system = System::new();
    let [process, senders, victims] = [(); 3].map(|()| system.process());
    for one in [process, victims] {
        system.share(one, Access::Shared);
    }
    let urgent = system.thread(process, 20);
    let waits = system.thread(process, 10);
    let sender = system.thread(senders, 25);
    let main = system.thread(victims, 5);
    let first = system.thread(victims, 15);
    let position = system.signal(senders, process);
    system.signal_queue(process, 1);
    let word = |process: ProcessId| shared(process.0, Access::Shared).base;
    for locks in [false, true] {
        let wait = |process| match locks {
            true => Call::lock(word(process)),
            false => Call::futex_wait(word(process), 0),
        };
        interrupt_at_each_step(5, |steps| {
            let half = std::cell::Cell::new(false);
            both_paths(&system, |m| {
                let start = m.now();
                m.call(sender, Call::sleep(start + 200));
                take(m, process, urgent);
                if locks {
                    m.call(urgent, wait(process));
                }
                m.call(urgent, Call::sleep(start + 100));
                m.call(first, wait(victims));
                m.call(waits, wait(process));
                half.set(m.exit_interrupted(main, steps));
                // It wakes when it is known who waits for the dead.
                m.set_now(start + 100);
                while m.kernel.awaits_interrupt() && m.current() != urgent {
                    m.interrupt();
                }
                m.advance_to(start + 100);
                assert_eq!(m.current(), urgent);
                let give = match locks {
                    true => Call::unlock(word(process)),
                    false => Call::futex_give(word(process)),
                };
                assert_eq!(m.answer_to(urgent, give).error(), None);
                assert_eq!(m.state(waits), State::Ready);
                m.advance_to(start + 200);
                m.call(sender, Call::signal(position, TERM, 0));
                assert_eq!(m.handles(urgent), Some(TERM), "after {steps} steps");
            });
            half.get()
        });
    }
}

/// A thread looks along a chain for whom it would wait, is interrupted, and waits for a lock the next time, whose owner
/// waits for nobody any more.
#[test]
fn who_waits_for_a_lock_after_it_has_been_interrupted_takes_signals() {
    let mut system = System::new();
    let [process, senders, servers, clients, lasts] = [(); 5].map(|()| system.process());
    let thread = system.thread(process, 5);
    let owner = system.thread(process, 4);
    let sender = system.thread(senders, 9);
    let serves = system.thread(servers, 7);
    let leaves = system.thread(servers, 6);
    let client = system.thread(clients, 8);
    let last = system.thread(lasts, 3);
    let channel = system.channel(servers);
    let last_channel = system.channel(lasts);
    let from_owner = system.connection(process, channel, 1);
    let from_client = system.connection(clients, channel, 2);
    let onward = system.connection(servers, last_channel, 3);
    let position = system.signal(senders, process);
    system.signal_queue(process, 1);
    let word = ram(process.0).base;
    both_paths(&system, |m| {
        let start = m.now();
        m.call(sender, Call::sleep(start + 300));
        m.call(client, Call::sleep(start + 20));
        let receive = Call::receive(m.receive_handle(channel));
        m.call(serves, receive);
        m.call(leaves, receive.deadline(start + 50));
        take(m, process, thread);
        m.call(thread, Call::sleep(start + 100));
        m.call(owner, Call::sleep(start + 60));
        m.call(last, Call::sleep(1 << 40));
        m.advance_to(start + 20);
        m.send(client, from_client, &[1]);
        m.send(serves, onward, &[1]);
        m.advance_to(start + 50);
        m.call(leaves, Call::sleep(1 << 40));
        m.advance_to(start + 60);
        let send = Call::send(m.handle(from_owner), &[1]);
        m.call(owner, send.deadline(start + 200));
        m.host.poke_word(word, m.thread(owner).id());
        m.advance_to(start + 100);
        m.host.interrupt_after(1);
        assert!(
            !m.call_once(thread, Call::lock(word)),
            "it looks for interrupts"
        );
        m.advance_to(start + 200);
        assert!(m.repeat(thread));
        assert_eq!(m.state(thread), State::FutexBlocked);
        m.advance_to(start + 300);
        m.call(sender, Call::signal(position, TERM, 0));
        assert_eq!(m.handles(thread), Some(TERM));
        m.call(sender, Call::sleep(1 << 40));
        m.end_handler(thread);
        let answer = m.answer(thread).expect("it returns");
        assert_eq!(answer.error(), Some(Error::Interrupted));
    });
}

/// Many clients stay until their dying server has let them go, and a signal is due to each. Who is more urgent than all of
/// them runs when an interrupt comes, and not after all have been told.
#[test]
fn who_is_urgent_does_not_wait_until_many_others_have_been_told() {
    let mut system = System::new();
    let [process, servers, drivers] = [(); 3].map(|()| system.process());
    let tells = system.thread(process, 10);
    let clients: Vec<_> = (0..40).map(|_| system.thread(process, 5)).collect();
    let server = system.thread(servers, 6);
    let driver = system.thread(drivers, 20);
    let channel = system.channel(servers);
    system.notify_unblock(channel);
    let link = system.connection(process, channel, 1);
    let own = system.channel(drivers);
    let line = system.interrupt(drivers, riposte_model::LineKind::Edge);
    system.signal_queue(process, 1);
    let mut machine = system.start(true);
    let m = &mut machine;
    let start = m.now();
    let interrupt = m.attach(driver, line, own, 1);
    m.call(
        driver,
        Call::acknowledge_and_receive(m.receive_handle(own), interrupt),
    );
    m.call(tells, Call::action(process, ALL));
    m.call(tells, Call::sleep(start + 100));
    m.call(server, Call::sleep(start + 50));
    for client in &clients {
        m.run(*client);
        m.call(*client, Call::mask(how::SET, 0));
        m.send(*client, link, &[1]);
    }
    m.advance_to(start + 50);
    for _ in &clients {
        m.receive(server, channel);
    }
    m.call(server, Call::sleep(start + 200));
    m.advance_to(start + 100);
    for client in &clients {
        let id = m.thread(*client).id();
        m.call(tells, Call::signal_thread(id, TERM, 0));
    }
    m.call(tells, Call::sleep(1 << 40));
    m.advance_to(start + 200);
    assert!(m.exit_interrupted(server, 60));
    m.raise(line.line);
    m.finish();
    assert_eq!(m.current(), driver);
    let told = clients
        .iter()
        .filter(|it| m.handles(**it).is_some())
        .count();
    assert!(told < 4, "{told} others have been told before");
}

/// The notice that asks a server to let a client go for a signal has the client's badge, however the message has come.
#[test]
fn who_is_asked_to_let_a_client_go_learns_its_badge() {
    let mut system = System::new();
    let [process, senders, servers] = [(); 3].map(|()| system.process());
    let thread = system.thread(process, 5);
    let sender = system.thread(senders, 9);
    let server = system.thread(servers, 6);
    system.windows(servers, 1, 0x100);
    let channel = system.channel(servers);
    system.notify_unblock(channel);
    let link = system.connection(process, channel, 7);
    let position = system.signal(senders, process);
    system.signal_queue(process, 1);
    let bytes = ram(process.0).base;
    let messages: [fn(u32, u32) -> Call; 3] = [
        |handle, _| Call::send(handle, &[1]),
        |handle, bytes| Call::send_bytes(handle, bytes, 32),
        |handle, bytes| Call::lend(handle, bytes, 0x100, &[0; 3]),
    ];
    for message in messages {
        both_paths(&system, |m| {
            m.call(sender, Call::sleep(m.now() + 100));
            let receive = Call::receive(m.receive_handle(channel));
            m.call(server, receive.room(ram(servers.0).base, 64));
            take(m, process, thread);
            m.call(thread, message(m.handle(link), bytes));
            m.call(server, Call::null());
            m.advance(100);
            m.call(sender, Call::signal(position, TERM, 0));
            m.call(sender, Call::sleep(1 << 40));
            let told = m.answer_to(server, Call::receive(m.receive_handle(channel)));
            assert_eq!(told.notice(), Some(notice::UNBLOCK));
            assert_eq!(told.badge(), 7);
        });
    }
}

/// A client at the end of a chain of servers leaves for a signal: those whom it has raised fall before anybody runs.
#[test]
fn the_servers_of_a_client_that_leaves_for_a_signal_fall_at_once() {
    let mut system = System::new();
    let [process, senders] = [(); 2].map(|()| system.process());
    let client = system.thread(process, 9);
    let sender = system.thread(senders, 20);
    let servers = [3, 2, 1].map(|priority| {
        let process = system.process();
        (process, system.thread(process, priority))
    });
    let channels = servers.map(|(process, _)| system.channel(process));
    let links = [process, servers[0].0, servers[1].0]
        .iter()
        .zip(channels)
        .map(|(process, channel)| system.connection(*process, channel, 1))
        .collect::<Vec<_>>();
    let position = system.signal(senders, process);
    system.signal_queue(process, 1);
    both_paths(&system, |m| {
        m.call(sender, Call::sleep(m.now() + 100));
        take(m, process, client);
        m.call(client, Call::sleep(m.now() + 50));
        for ((_, server), channel) in servers.iter().zip(channels) {
            m.receive(*server, channel);
        }
        m.advance(50);
        m.send(client, links[0], &[1]);
        m.send(servers[0].1, links[1], &[1]);
        m.send(servers[1].1, links[2], &[1]);
        assert_eq!(m.priority(servers[2].1), 9);
        m.advance(50);
        m.call(sender, Call::signal(position, TERM, 0));
        assert_eq!(m.priority(servers[2].1), 3);
    });
}
