//! What an eighth reading has found: long copies that begin anew for ever.

use riposte_abi::call::number;
use riposte_kernel::{CHUNK, OnEnd, State};
use riposte_model::{Call, Machine, Pair, System, ThreadId, both_paths};

const SERVER_RAM: u32 = 0x2000_0000;
const CLIENT_RAM: u32 = 0x2001_0000;
const OTHER_RAM: u32 = 0x2002_0000;
/// A message that takes eight times as long to copy as from one interrupt to the next.
const MANY: u32 = 16 * CHUNK;
const PER_PERIOD: u32 = 2;
const PERIOD: u64 = 100_000;
/// Far more than the copy takes.
const PERIODS: u32 = 100;

/// For `PERIOD`, `caller` performs its call, or goes on with it: so many chunks, then the clock interrupts. Whether it
/// is over.
fn period(m: &mut Machine, caller: ThreadId, call: Call, chunks: u32) -> bool {
    m.run(caller);
    m.host.interrupt_after(chunks);
    let done = if m.must_repeat(caller) {
        m.repeat(caller)
    } else {
        m.call_once(caller, call)
    };
    m.host.interrupt_after(u32::MAX);
    done
}

/// A process of priority 1 may trigger a proxy of a server, and has a timer, within its manifest's rate. A client of 10
/// sends the server a message that takes longer to copy than the timer's period.
fn long_message_beside_a_timer(received_first: bool, chunks: u32) -> u32 {
    let mut system = System::new();
    let [servers, clients, strangers] = [(); 3].map(|()| system.process());
    let server = system.thread(servers, 5);
    let client = system.thread(clients, 10);
    let stranger = system.thread(strangers, 1);
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 7);
    let proxy = system.proxy(channel, &[1]);
    let trigger = system.trigger(strangers, proxy, false);
    system.objects(strangers, 0, 1);
    system.timer_rate(strangers, 10_000);
    let mut machine = system.start(true);
    let m = &mut machine;
    let start = m.now();
    m.call(client, Call::sleep(start + 1000));
    m.call(server, Call::sleep(start + 500));
    let slot = trigger.slot as u32;
    let handle = m.answer_to(stranger, Call::other(number::CONNECT, &[slot]));
    let timer = m.answer_to(stranger, Call::create_timer(handle.word(), 0));
    let set = Call::set_timer(timer.word(), start + 2000 + PERIOD, PERIOD);
    m.call(stranger, set);
    let receive = Call::receive(m.receive_handle(channel)).room(SERVER_RAM, MANY);
    m.advance_to(start + 500);
    if received_first {
        m.call(server, receive);
    } else {
        m.call(server, Call::sleep(start + 1500));
    }
    m.advance_to(start + 1000);
    assert_eq!(m.current(), client);
    let send = Call::send_bytes(m.handle(link), CLIENT_RAM, MANY);
    let before = m.host.copied();
    if !received_first {
        m.call(client, send);
        m.advance_to(start + 2000);
    }
    let mut notices = 0;
    for _ in 0..PERIODS {
        // Whoever runs has the processor until the timer is due: nobody else is ready but the stranger.
        if m.current() == client {
            period(m, client, send, chunks);
        } else {
            while m.current() == server && !period(m, server, receive, chunks) {
                if m.must_repeat(server) {
                    break;
                }
            }
        }
        while m.current() == server && !m.must_repeat(server) {
            match m.answer(server) {
                Some(answer) if answer.notice().is_none() => {
                    return notices;
                }
                _ => {}
            }
            notices += 1;
            if !period(m, server, receive, chunks) {
                break;
            }
        }
        m.advance(PERIOD);
    }
    panic!(
        "after {PERIODS} periods, {notices} notices and {} bytes copied the message of {MANY} is not received: the \
         client of 10 is {:?}",
        m.host.copied() - before,
        m.state(client)
    );
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies or timers")]
fn a_long_message_is_received_whatever_a_less_urgent_timer_tells_the_server() {
    // All of it before the timer is due.
    assert!(long_message_beside_a_timer(false, MANY / CHUNK + 1) < 2);
    long_message_beside_a_timer(false, PER_PERIOD);
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies or timers")]
fn a_long_message_to_a_server_that_waits_is_received_whatever_a_less_urgent_timer_tells_it() {
    assert!(long_message_beside_a_timer(true, MANY / CHUNK + 1) < 2);
    long_message_beside_a_timer(true, PER_PERIOD);
}

/// Two clients of the same priority take turns, and send to the same server that waits. No copy fits a turn.
#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn two_long_messages_of_clients_that_take_turns_are_received() {
    let mut system = System::new();
    let [servers, firsts, seconds] = [(); 3].map(|()| system.process());
    let server = system.thread(servers, 8);
    let first = system.round_robin_thread(firsts, 5);
    let second = system.round_robin_thread(seconds, 5);
    let channel = system.channel(servers);
    let links = [firsts, seconds].map(|it| system.connection(it, channel, it.0 as u32));
    system.slice(PERIOD);
    let mut machine = system.start(true);
    let m = &mut machine;
    let receive = Call::receive(m.receive_handle(channel)).room(SERVER_RAM, MANY);
    m.call(server, receive);
    let before = m.host.copied();
    let sends = [
        Call::send_bytes(m.handle(links[0]), CLIENT_RAM, MANY),
        Call::send_bytes(m.handle(links[1]), OTHER_RAM, MANY),
    ];
    for _ in 0..PERIODS {
        let current = m.current();
        if current == server {
            return;
        }
        let call = sends[usize::from(current == second)];
        assert!(current == first || current == second);
        period(m, current, call, PER_PERIOD);
        if m.state(server) != State::ReceiveBlocked {
            return;
        }
        m.advance(PERIOD);
    }
    panic!(
        "after {PERIODS} turns and {} bytes copied neither message of {MANY} is received",
        m.host.copied() - before
    );
}

/// A less urgent client sends a long message, a more urgent one a short one now and then, which the server answers at
/// once: the less urgent one has the processor for nearly all of the time.
#[test]
fn a_long_message_is_received_though_a_more_urgent_client_sends_short_ones() {
    let mut pair = Pair::new();
    let (urgent, link) = pair.another_client(20, 8);
    let mut machine = pair.system.start(true);
    let m = &mut machine;
    m.call(urgent, Call::sleep(m.now() + PERIOD));
    let channel = m.receive_handle(pair.channel);
    let receive = Call::receive(channel).room(SERVER_RAM, MANY);
    m.call(pair.server, receive);
    let before = m.host.copied();
    let send = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, MANY);
    for _ in 0..PERIODS {
        if m.state(pair.server) != State::ReceiveBlocked {
            return;
        }
        if period(m, pair.client, send, PER_PERIOD) {
            return;
        }
        m.advance(PERIOD);
        assert_eq!(m.current(), urgent);
        m.send(urgent, link, &[1]);
        let token = m.answer(pair.server).unwrap().token();
        let wait = Call::reply_receive(channel, token, &[]).room(SERVER_RAM, MANY);
        m.call(pair.server, wait);
        m.call(urgent, Call::sleep(m.now() + PERIOD));
    }
    panic!(
        "after {PERIODS} periods and {} bytes copied the message of {MANY} is not received",
        m.host.copied() - before
    );
}

/// A thread that is led elsewhere in the middle of a long answer, answers in registers, and later makes the same call.
#[test]
fn an_answer_in_registers_leaves_nothing_of_the_copy_that_it_replaces() {
    let mut system = System::new();
    let [servers, clients] = [(); 2].map(|()| system.process());
    let server = system.thread(servers, 10);
    let other = system.thread(servers, 20);
    let client = system.thread(clients, 10);
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 7);
    both_paths(&system, |m| {
        m.call(other, Call::sleep(m.now() + 10));
        let handle = m.receive_handle(channel);
        m.host.poke(SERVER_RAM, &[1; MANY as usize]);
        m.receive(server, channel);
        let send = Call::send(m.handle(link), &[]).room(CLIENT_RAM, MANY);
        m.call(client, send);
        let token = m.answer(server).unwrap().token();
        m.host.interrupt_after(PER_PERIOD);
        let reply = |token| Call::reply_bytes_receive(handle, token, SERVER_RAM, MANY);
        assert!(!m.call_once(server, reply(token)));
        m.advance(10);
        assert_eq!(m.current(), other);
        m.divert(server);
        m.call(other, Call::sleep(u64::MAX));
        m.call(server, Call::reply_receive(handle, token, &[]));
        // The client's room is its own again.
        m.host.poke(CLIENT_RAM, &[2; MANY as usize]);
        m.call(client, send);
        let token = m.answer(server).unwrap().token();
        m.call(server, reply(token));
        assert_eq!(m.answer(client).unwrap().bytes(), Some((MANY, MANY)));
        let got = m.host.peek(CLIENT_RAM, MANY);
        let stale = got.iter().filter(|byte| **byte == 2).count();
        assert_eq!(
            stale, 0,
            "the client is told of bytes that are its own old ones"
        );
    });
}

/// A server that takes messages in order of arrival has a tick of its own. The least urgent client's message is long:
/// it is never received, and nor is any behind it.
#[test]
#[cfg_attr(feature = "lean", ignore = "no timers")]
fn an_urgent_message_is_received_behind_a_long_one_of_a_less_urgent_client() {
    let mut pair = Pair::new();
    let (stranger, long) = pair.another_client(1, 8);
    pair.system.arrival_order(pair.channel);
    pair.system.objects(pair.server_process, 0, 1);
    pair.system.timer_rate(pair.server_process, 10_000);
    let mut machine = pair.system.start(true);
    let m = &mut machine;
    let start = m.now();
    let channel = m.receive_handle(pair.channel);
    let timer = m.answer_to(pair.server, Call::create_timer(channel, 1));
    m.call(
        pair.server,
        Call::set_timer(timer.word(), start + PERIOD, PERIOD),
    );
    m.call(pair.client, Call::sleep(start + PERIOD / 4));
    m.call(pair.server, Call::sleep(start + PERIOD / 2));
    m.call(stranger, Call::send_bytes(m.handle(long), OTHER_RAM, MANY));
    m.advance_to(start + PERIOD / 4);
    pair.send(m, &[1]);
    m.advance_to(start + PERIOD / 2);
    let receive = Call::receive(channel).room(SERVER_RAM, MANY);
    let mut messages = 0;
    for _ in 0..PERIODS {
        while m.current() == pair.server && period(m, pair.server, receive, PER_PERIOD) {
            match m.answer(pair.server) {
                Some(answer) if answer.notice().is_none() => messages += 1,
                _ => {}
            }
            if messages == 2 {
                return;
            }
        }
        m.advance(PERIOD);
    }
    panic!("{messages} of 2 messages are received in {PERIODS} ticks of the server");
}

/// A process one of whose threads serves a client of 20 faults in a thread of 5, and is held. Before all that follows is
/// done a thread of 12 becomes ready, and computes: the supervisor, of 25, who alone can end the client's wait, is not
/// told. (A death goes at the priority of the client.)
#[test]
#[cfg_attr(feature = "lean", ignore = "no holding")]
fn the_supervisor_of_a_held_process_for_whom_somebody_urgent_waits_does_not_wait_for_less_urgent_threads()
 {
    let mut wrong = vec![];
    for steps in 1..40 {
        for how in [OnEnd::Stop, OnEnd::Hold] {
            let mut system = System::new();
            let [victim, others, clients, supervisors] = [(); 4].map(|()| system.process());
            system.on_end(victim, how);
            let main = system.thread(victim, 5);
            let server = system.thread(victim, 4);
            let between = system.thread(others, 12);
            let client = system.thread(clients, 20);
            let supervisor = system.thread(supervisors, 25);
            let channel = system.channel(victim);
            let faults = system.channel(supervisors);
            system.supervisor(faults);
            let link = system.connection(clients, channel, 1);
            let mut machine = system.start(true);
            let m = &mut machine;
            let start = m.now();
            m.receive(supervisor, faults);
            m.call(client, Call::sleep(start + 50));
            m.call(between, Call::sleep(start + 200));
            m.call(main, Call::sleep(start + 100));
            m.receive(server, channel);
            m.advance_to(start + 50);
            m.send(client, link, &[1]);
            m.call(server, Call::sleep(u64::MAX));
            m.advance_to(start + 100);
            assert_eq!((m.current(), m.priority(server)), (main, 20));
            m.host.interrupt_after(steps);
            m.fault(main);
            let half = m.kernel.awaits_interrupt();
            m.set_now(start + 200);
            m.interrupt();
            m.finish();
            if half && m.current() == between && m.state(supervisor) == State::ReceiveBlocked {
                wrong.push((how, steps));
            }
        }
    }
    assert_eq!(
        wrong,
        [],
        "the thread of 12 computes, and the supervisor is not told"
    );
}
