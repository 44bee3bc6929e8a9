//! What a process does that wants to harm others, or that ends at the worst moment.

use riposte_abi::{Error, call::number, thread::policy};
use riposte_kernel::{Access, OnEnd, State};
use riposte_model::{
    Call, LineKind, Machine, System, both_paths, interrupt_at_each_step, ram, shared,
};

#[test]
fn rule_24_an_interrupt_of_the_dying_wakes_none_of_their_threads() {
    let mut system = System::new();
    let victim = system.process();
    let main = system.thread(victim, 5);
    let driver = system.thread(victim, 9);
    let channel = system.channel(victim);
    let line = system.interrupt(victim, LineKind::Edge);
    interrupt_at_each_step(5, |steps| {
        let mut machine = system.start(true);
        let m = &mut machine;
        let interrupt = m.attach(driver, line, channel, 1);
        let channel = m.receive_handle(channel);
        m.call(driver, Call::acknowledge_and_receive(channel, interrupt));
        assert_eq!(m.state(driver), State::ReceiveBlocked);
        let half = m.exit_interrupted(main, steps);
        m.raise_amid(line.line);
        assert_ne!(m.current(), driver, "it is dead after {steps} steps");
        m.finish();
        assert_eq!(m.state(driver), State::Stopped);
        half
    });
}

#[test]
fn rule_23_a_client_that_leaves_the_dying_leaves_the_ready_queue_whole() {
    let mut system = System::new();
    let [victim, other] = [(); 2].map(|()| system.process());
    let main = system.thread(victim, 9);
    let server = system.thread(victim, 4);
    let client = system.thread(other, 7);
    let channel = system.channel(victim);
    let link = system.connection(other, channel, 1);
    interrupt_at_each_step(5, |steps| {
        let mut machine = system.start(true);
        let m = &mut machine;
        let due = m.now() + 1_000_000;
        m.call(main, Call::sleep(due - 1000));
        m.call(client, Call::sleep(m.now() + 1000));
        m.call(server, Call::receive(m.receive_handle(channel)));
        m.advance(1000);
        m.call(client, Call::send(m.handle(link), &[]).deadline(due));
        assert_eq!((m.current(), m.priority(server)), (server, 7));
        m.advance_to(due - 1000);
        assert_eq!(m.current(), main);
        let half = m.exit_interrupted(main, steps);
        m.set_now(due);
        m.advance_to(due);
        m.finish();
        assert_eq!(m.state(server), State::Stopped);
        assert_eq!(m.current(), client);
        half
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_16_who_becomes_more_urgent_raises_none_of_the_dying() {
    let mut system = System::new();
    let [victim, other] = [(); 2].map(|()| system.process());
    let main = system.thread(victim, 9);
    let server = system.thread(victim, 4);
    let client = system.thread(other, 7);
    let handler = system.thread(other, 20);
    system.priority_limit(other, 25);
    let channel = system.channel(victim);
    let own = system.channel(other);
    let line = system.interrupt(other, LineKind::Edge);
    let link = system.connection(other, channel, 1);
    interrupt_at_each_step(5, |steps| {
        let mut machine = system.start(true);
        let m = &mut machine;
        let wait = m.wait_for_interrupt(handler, line, own);
        m.call(main, Call::sleep(m.now() + 2000));
        m.call(client, Call::sleep(m.now() + 1000));
        m.call(server, Call::receive(m.receive_handle(channel)));
        m.advance(1000);
        m.call(client, Call::send(m.handle(link), &[]));
        m.advance(1000);
        assert_eq!(m.current(), main);
        let half = m.exit_interrupted(main, steps);
        m.raise_amid(line.line);
        assert_eq!(m.current(), handler);
        let id = m.thread(client).id();
        m.call(handler, Call::schedule(id, 25, policy::SAME));
        if m.current() == handler {
            m.call(handler, wait);
        }
        m.finish();
        assert_eq!(m.state(server), State::Stopped);
        assert_eq!(m.answer(client).unwrap().error(), Some(Error::ServerDied));
        half
    });
}

#[test]
fn what_a_call_has_done_is_no_other_calls_progress() {
    let mut system = System::new();
    let hostile = system.process();
    let main = system.thread(hostile, 4);
    let sleepers = [(); 3].map(|()| system.thread(hostile, 3));
    let urgent = system.thread(hostile, 9);
    let word = ram(hostile.0).base + 0x800;
    both_paths(&system, |m| {
        m.call(urgent, Call::sleep(m.now() + 1000));
        m.call(main, Call::sleep(m.now() + 500));
        for sleeper in sleepers {
            m.call(sleeper, Call::futex_wait(word, 0));
        }
        m.advance(500);
        m.host.interrupt_after(1);
        assert!(!m.call_once(main, Call::futex_wake(word, 2)));
        m.advance(1000);
        // It makes its sibling go on with something else.
        m.divert(main);
        m.call(urgent, Call::sleep(1 << 40));
        assert_eq!(m.current(), main);
        let lives = |m: &Machine| sleepers.map(|it| m.thread(it).id());
        let before = lives(m);
        m.call(main, Call::other(number::START_THREADS, &[]));
        assert_eq!(lives(m), before, "nobody is started again");
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_09_who_selects_a_thread_in_the_middle_of_its_end_learns_of_it() {
    let mut system = System::new();
    let [servers, clients] = [(); 2].map(|()| system.process());
    let late = system.thread(servers, 9);
    let early = system.thread(servers, 5);
    let main = system.thread(clients, 4);
    let doomed = system.thread(clients, 3);
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 1);
    both_paths(&system, |m| {
        m.call(late, Call::sleep(m.now() + 1000));
        m.receive(early, channel);
        m.call(main, Call::sleep(1 << 40));
        m.send(doomed, link, &[]);
        let token = m.answer(early).unwrap().token();
        m.call(early, Call::reply(token, &[]));
        let select = Call::receive(m.receive_handle(channel)).from_token(token);
        m.call(early, select);
        m.host.interrupt_after(1);
        assert!(!m.call_once(doomed, Call::exit_thread(0)));
        m.advance(1000);
        m.call(late, select);
        assert_eq!(m.answer(early).unwrap().error(), Some(Error::PeerDied));
        m.call(early, Call::sleep(1 << 40));
        assert!(!m.repeat(doomed), "who is more urgent comes first");
        assert_eq!(m.answer(late).unwrap().error(), Some(Error::PeerDied));
        m.call(late, Call::sleep(1 << 40));
        assert!(m.repeat(doomed));
    });
}

/// A process whose thread is at 20 and, if `mutual`, one at 5 that are restarted with each other; else the first
/// one with the second, and that with a third. The second one ends, and in the middle of that the first one.
fn restarts_in_restarts(mutual: bool) {
    let mut system = System::new();
    let processes = [(); 3].map(|()| system.process());
    let [first, second, third] = processes;
    for process in processes {
        system.on_end(process, OnEnd::Restart);
    }
    let urgent = system.thread(first, 20);
    let doomed = system.thread(second, 5);
    let last = system.thread(third, 4);
    let idler = system.thread(third, 3);
    system.restart_with(second, first);
    system.restart_with(if mutual { first } else { third }, second);
    let own = system.channel(first);
    let line = system.interrupt(first, LineKind::Edge);
    interrupt_at_each_step(10, |steps| {
        let mut machine = system.start(true);
        let m = &mut machine;
        let interrupt = m.attach(urgent, line, own, 1);
        let own = m.receive_handle(own);
        m.call(urgent, Call::acknowledge_and_receive(own, interrupt));
        let before = [urgent, doomed, last].map(|it| m.thread(it).id());
        let half = m.exit_interrupted(doomed, steps);
        m.raise_amid(line.line);
        if m.current() == urgent && m.answer(urgent).is_some() {
            m.call(urgent, Call::other(number::EXIT, &[0]));
        }
        m.finish();
        let all = [urgent, doomed, last];
        assert!(all.iter().all(|it| m.state(*it) == State::Ready), "{steps}");
        let after = all.map(|it| m.thread(it).id());
        assert!(
            before[..2]
                .iter()
                .zip(&after)
                .all(|(one, other)| one != other)
        );
        assert_eq!(mutual, before[2] == after[2]);
        assert_eq!(m.state(idler) == State::Ready, mutual);
        half
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no groups")]
fn rule_24_a_restart_within_a_restart_is_finished_by_the_outer_one() {
    restarts_in_restarts(false);
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no groups")]
fn rule_24_processes_that_are_restarted_with_each_other_are() {
    restarts_in_restarts(true);
}

/// Each of ten processes is restarted with the one before it, and the first with the last. Each ends in the middle of the end
/// of the one before.
#[test]
#[cfg_attr(feature = "lean", ignore = "no groups")]
fn rule_24_many_processes_that_are_restarted_with_each_other_are() {
    const MANY: usize = 10;
    let mut system = System::new();
    let processes = [(); MANY].map(|()| system.process());
    for (number, process) in processes.into_iter().enumerate() {
        system.on_end(process, OnEnd::Restart);
        system.restart_with(processes[(number + 1) % MANY], process);
    }
    let mut priority = 3;
    let mains = processes.map(|process| {
        priority += 1;
        system.thread(process, priority)
    });
    let mut machine = system.start(true);
    let m = &mut machine;
    let before = mains.map(|main| m.thread(main).id());
    let mut time = m.now() + 100 * MANY as u64;
    for main in mains.into_iter().rev() {
        m.call(main, Call::sleep(time));
        time -= 100;
    }
    for main in mains {
        time += 100;
        m.set_now(time);
        m.interrupt();
        assert_eq!(m.current(), main);
        m.exit_interrupted(main, 4);
    }
    m.finish();
    for (main, before) in mains.into_iter().zip(before) {
        assert_eq!(m.state(main), State::Ready);
        assert_ne!(m.thread(main).id(), before);
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_16_who_becomes_the_only_receiver_while_it_sends_is_raised_when_it_goes_on() {
    let mut system = System::new();
    let [servers, other, clients] = [(); 3].map(|()| system.process());
    let busy = system.thread(servers, 5);
    let leaving = system.thread(servers, 6);
    let next = system.thread(other, 4);
    let urgent = system.thread(clients, 9);
    let channel = system.channel(servers);
    let further = system.channel(other);
    let link = system.connection(servers, further, 1);
    let to = system.connection(clients, channel, 2);
    both_paths(&system, |m| {
        m.call(urgent, Call::sleep(m.now() + 1000));
        let own = m.receive_handle(channel);
        for receiver in [leaving, busy] {
            m.call(receiver, Call::notify(own, 1));
            m.call(receiver, Call::receive(own));
            if receiver == leaving {
                m.call(leaving, Call::sleep(m.now() + 500));
            }
        }
        m.call(busy, Call::send(m.handle(link), &[]));
        m.advance(500);
        m.call(leaving, Call::exit_thread(0));
        let message = m.answer_to(next, Call::receive(m.receive_handle(further)));
        m.call(next, Call::reply(message.token(), &[]));
        assert_eq!(m.current(), busy);
        m.advance(500);
        m.call(urgent, Call::send(m.handle(to), &[]));
        assert_eq!(m.priority(busy), 9);
    });
}

/// Two servers wait for a message of one thread, which ends; an interrupt comes after the first of them is told,
/// and the thread is led elsewhere, makes another call, and ends then.
#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_9_who_waits_for_a_thread_that_is_led_elsewhere_in_the_middle_of_its_end_is_told() {
    let mut system = System::new();
    let [servers, clients] = [(); 2].map(|()| system.process());
    for process in [servers, clients] {
        system.share(process, Access::Shared);
    }
    let all: Vec<_> = (0..3).map(|_| system.thread(servers, 4)).collect();
    let _main = system.thread(clients, 3);
    let client = system.thread(clients, 6);
    let urgent = system.thread(clients, 9);
    let channel = system.channel(servers);
    system.depth(6);
    let link = system.connection(clients, channel, 1);
    let mut m = system.start(true);
    let at = m.now() + 100;
    m.call(urgent, Call::sleep(at));
    m.call(client, Call::sleep(m.now() + 50));
    m.receive(all[0], channel);
    m.advance(50);
    m.send(client, link, &[1]);
    let token = m.answer(all[0]).unwrap().token();
    m.call(all[0], Call::reply(token, &[]));
    m.call(client, Call::sleep(m.now() + 20));
    for server in &all {
        let select = Call::receive(m.receive_handle(channel)).from_token(token);
        m.call(*server, select);
        assert_eq!(m.state(*server), State::ReceiveBlocked);
    }
    m.advance(20);
    m.host.interrupt_after(0);
    let done = m.call_once(client, Call::exit_thread(0));
    assert!(!done, "cut short");
    let now = m.now();
    m.leap_to(now + 100);
    assert_eq!(m.current(), urgent);
    m.divert(client);
    let later = m.now() + 1000;
    m.call(urgent, Call::sleep(later));
    let word = shared(1, Access::Shared).base;
    m.call(client, Call::futex_wake(word, 0));
    m.call(client, Call::exit_thread(0));
    assert_eq!(m.state(client), State::Stopped);
    for server in &all {
        assert_ne!(
            m.state(*server),
            State::ReceiveBlocked,
            "{server:?} waits for ever"
        );
    }
}

/// A client whose copy is cut short cannot be led elsewhere: it waits, and the server does the rest, and does not take
/// for the client's what another client has sent before.
#[test]
fn a_message_is_copied_as_a_whole_whatever_its_sender_was_led_to_in_the_middle() {
    let mut system = System::new();
    let [servers, victims, hostiles] = [(); 3].map(|()| system.process());
    for process in [servers, victims, hostiles] {
        system.share(process, Access::Shared);
    }
    let server = system.thread(servers, 7);
    let victim = system.thread(victims, 5);
    let _main = system.thread(hostiles, 4);
    let hostile = system.thread(hostiles, 6);
    let urgent = system.thread(hostiles, 9);
    let channel = system.channel(servers);
    let link = system.connection(victims, channel, 1);
    let evil = system.connection(hostiles, channel, 2);
    let mut m = system.start(true);
    const LENGTH: u32 = 1500;
    let room = ram(servers.0).base;
    m.host.poke(ram(victims.0).base, &[b'V'; LENGTH as usize]);
    m.host.poke(ram(hostiles.0).base, &[b'H'; LENGTH as usize]);
    let receive = Call::receive(m.receive_handle(channel)).room(room, LENGTH);
    let start = m.now();
    m.call(urgent, Call::sleep(start + 100));
    m.call(server, receive);
    m.call(hostile, Call::sleep(start + 50));
    m.call(
        victim,
        Call::send_bytes(m.handle(link), ram(victims.0).base, LENGTH),
    );
    let token = m.answer(server).unwrap().token();
    m.call(server, Call::reply(token, &[]));
    m.call(server, receive);
    m.call(victim, Call::sleep(start + 1_000_000));
    m.advance_to(start + 50);
    let send = Call::send_bytes(m.handle(evil), ram(hostiles.0).base, LENGTH);
    m.host.interrupt_after(1);
    m.call_once(hostile, send);
    assert_eq!(m.state(hostile), State::ReplyBlocked, "cut short");
    m.leap_to(start + 200);
    m.call(urgent, Call::sleep(start + 10_000));
    m.repeat(server);
    assert_eq!(m.answer(server).unwrap().bytes(), Some((LENGTH, LENGTH)));
    let got = m.host.peek(room, LENGTH);
    let foreign = got.iter().filter(|byte| **byte != b'H').count();
    assert_eq!(foreign, 0, "bytes of another client's message");
}

/// A thread that closes a handle is interrupted in the middle of its search, is led elsewhere, and closes another
/// one: the search for that one's badge begins anew.
#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn rule_9_a_search_that_is_left_is_none_for_another_badge() {
    let mut system = System::new();
    let [servers, friends, givers] = [(); 3].map(|()| system.process());
    let first = system.thread(servers, 4);
    let second = system.thread(servers, 4);
    let _friend = system.thread(friends, 2);
    system.depth(6);
    let channel = system.channel(servers);
    let goods = [11, 22].map(|badge| system.transferable(givers, channel, badge));
    let giving = system.channel(givers);
    let giver = system.thread(givers, 5);
    let process = system.process();
    let _main = system.thread(process, 3);
    let hostile = system.thread(process, 6);
    let urgent = system.thread(process, 9);
    let ask = system.connection(process, giving, 1);
    // Somebody far in front has badge 22 for good.
    let _keeps = system.connection(friends, channel, 22);
    for looks in [100, 0] {
        println!("looks {looks}");
        let mut m = system.start(true);
        let at = m.now() + 100;
        m.call(urgent, Call::sleep(at));
        let given = goods.map(|good| {
            m.call(hostile, Call::send(m.handle(ask), &[]).accepting_handle());
            m.receive(giver, giving);
            let token = m.answer(giver).unwrap().token();
            let good = m.handle(good);
            m.call(giver, Call::reply_handle(token, &[0; 4], good));
            m.answer(hostile).unwrap().handle().unwrap()
        });
        m.call(hostile, Call::sleep(m.now() + 20));
        // The giver's own are gone.
        m.fault(giver);
        let handle = m.receive_handle(channel);
        m.call(first, Call::receive(handle).from_badge(11));
        m.call(second, Call::receive(handle).from_badge(22));
        m.advance(20);
        m.host.interrupt_after(looks);
        let done = m.call_once(hostile, Call::other(number::CLOSE, &[given[0]]));
        println!("done {done}");
        let now = m.now();
        m.leap_to(now + 100);
        assert_eq!(m.current(), urgent);
        if !done {
            m.divert(hostile);
        }
        let later = m.now() + 1000;
        m.call(urgent, Call::sleep(later));
        m.call(hostile, Call::other(number::CLOSE, &[given[1]]));
        assert_eq!(m.state(second), State::ReceiveBlocked);
    }
}

/// A thread that is first in, first out serves a chain so long that its owner is not known before an interrupt
/// waits. Meanwhile the time slice of a less urgent thread is over: that ends no turn of the urgent one.
#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_the_end_of_another_ones_slice_takes_no_turn_from_a_thread_that_takes_none() {
    const CHAIN: usize = 12;
    let mut system = System::new();
    system.slice(1000);
    let processes: Vec<_> = (0..=CHAIN).map(|_| system.process()).collect();
    let threads: Vec<_> = processes.iter().map(|it| system.thread(*it, 10)).collect();
    let channels: Vec<_> = processes.iter().map(|it| system.channel(*it)).collect();
    let links: Vec<_> = (1..=CHAIN)
        .map(|index| system.connection(processes[index], channels[index - 1], 1))
        .collect();
    let rest = system.process();
    let turns = [(); 2].map(|()| system.round_robin_thread(rest, 5));
    let equal_process = system.process();
    let equal = system.thread(equal_process, 10);
    let mut m = system.start(true);
    let due = m.now() + 500;
    m.call(equal, Call::sleep(due));
    for index in 0..CHAIN {
        m.receive(threads[index], channels[index]);
    }
    for index in (1..=CHAIN).rev() {
        m.send(threads[index], links[index - 1], &[]);
    }
    let serves = threads[0];
    m.call(serves, Call::sleep(due - 1));
    assert!(turns.contains(&m.current()));
    let now = m.now();
    let end = now + 1000;
    assert!(due < end);
    // The alarm is late, and another interrupt waits.
    m.set_now(end - 1);
    m.host.interrupt_after(1);
    m.interrupt();
    m.host.interrupt_after(u32::MAX);
    assert_eq!(m.current(), serves);
    m.set_now(end + 1);
    m.interrupt();
    assert_eq!(m.current(), serves, "first in, first out");
}
