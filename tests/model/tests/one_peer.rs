//! Who waits for one peer alone while others change what it could be told, and what is put off for an interrupt.

use riposte_abi::{Error, call::number};
use riposte_kernel::State;
use riposte_model::{Call, LineKind, System, both_paths, interrupt_at_each_step, ram};

/// The search of a death goes on in its middle for another badge.
#[test]
fn rule_9_a_death_does_not_go_on_with_the_search_for_another_badge() {
    let mut system = System::new();
    let [servers, holders] = [(); 2].map(|()| system.process());
    let server = system.thread(servers, 20);
    let _holder = system.thread(holders, 3);
    for _ in 0..8 {
        let other = system.process();
        system.thread(other, 1);
    }
    let dying = system.process();
    let origin = system.thread(dying, 5);
    let wanted = system.channel(servers);
    system.connection(holders, wanted, 7);
    system.connection(dying, wanted, 5);
    interrupt_at_each_step(5, |steps| {
        let mut machine = system.start(true);
        let m = &mut machine;
        let due = m.now() + 10_000;
        let own = m.receive_handle(wanted);
        m.call(server, Call::receive(own).from_badge(5).deadline(due));
        assert_eq!(m.state(server), State::ReceiveBlocked);
        let half = m.exit_interrupted(origin, steps);
        if m.state(server) != State::ReceiveBlocked {
            return half;
        }
        m.set_now(due);
        m.advance_to(due);
        assert_eq!(m.current(), server);
        assert_eq!(m.answer(server).unwrap().error(), Some(Error::TimedOut));
        m.call(server, Call::receive(own).from_badge(7));
        m.finish();
        assert_eq!(
            m.state(server),
            State::ReceiveBlocked,
            "after {steps} steps: {:?}, though somebody has badge 7",
            m.answer(server).map(|answer| answer.error())
        );
        half
    });
}

/// What is stale waits for a slice, since the clock's interrupt that waits is taken away.
#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies")]
fn rule_15_a_long_chain_of_clients_puts_off_what_is_stale_for_no_slice() {
    const LINKS: usize = 12;
    let mut system = System::new();
    system.slice(10_000_000);
    system.depth(40);
    let processes = [(); LINKS].map(|()| system.process());
    let threads = processes.map(|it| system.adaptive_thread(it, 5));
    let channels = processes.map(|it| system.channel(it));
    let links: Vec<_> = (1..LINKS)
        .map(|it| system.connection(processes[it - 1], channels[it], 1))
        .collect();
    let urgent = system.process();
    let waiter = system.thread(urgent, 20);
    let place = system.channel(urgent);
    let proxy = system.proxy(place, b"now");
    let trigger = system.trigger(processes[LINKS - 1], proxy, false);
    both_paths(&system, |m| {
        let parts = ram(urgent.0).base + 0x100;
        m.host
            .poke_parts(parts, &[(parts + 0x100, 8), (parts + 0x200, 8)]);
        let receive = Call::receive(m.receive_handle(place)).room_in_parts(parts, 2);
        m.call(waiter, receive);
        for it in (1..LINKS).rev() {
            m.call(threads[it], Call::receive(m.receive_handle(channels[it])));
        }
        for it in 1..LINKS {
            m.call(threads[it - 1], Call::send(m.handle(links[it - 1]), &[]));
        }
        let last = threads[LINKS - 1];
        assert_eq!(m.current(), last);
        let slot = m
            .answer_to(last, Call::other(number::CONNECT, &[trigger.slot as u32]))
            .word();
        // The slice ends while the call is served: an interrupt of the clock waits.
        let end = m.alarm();
        assert!(end < m.now() + 20_000_000, "a slice runs");
        m.set_now(end);
        m.call_once(last, Call::trigger(slot));
        assert_eq!(
            m.current(),
            waiter,
            "woken at once; else after {} ns",
            m.alarm() - m.now()
        );
    });
}

/// A death does not end while its search begins anew.
#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn rule_9_a_death_ends_whatever_is_opened() {
    let mut system = System::new();
    let [users, givers, hosts, dying] = [(); 4].map(|()| system.process());
    let user = system.thread(users, 20);
    let giver = system.thread(givers, 19);
    let host = system.thread(hosts, 18);
    let origin = system.thread(dying, 5);
    for _ in 0..60 {
        let other = system.process();
        system.thread(other, 1);
    }
    let victims = system.process();
    let victim = system.thread(victims, 4);
    let own = system.channel(users);
    let line = system.interrupt(users, LineKind::Edge);
    let give = system.channel(givers);
    let wanted = system.channel(hosts);
    let to_giver = system.connection(users, give, 1);
    let given = system.transferable(givers, wanted, 3);
    system.connection(dying, wanted, 5);
    let mut machine = system.start(true);
    let m = &mut machine;
    let wait = m.wait_for_interrupt(user, line, own);
    m.call(giver, Call::receive(m.receive_handle(give)));
    m.call(host, Call::receive(m.receive_handle(wanted)).from_badge(5));
    m.run(origin);
    assert!(m.exit_interrupted(origin, 30));
    let mut times = 0;
    while m.kernel.awaits_interrupt() {
        times += 1;
        assert!(
            times < 1000,
            "the death does not end: victim is {:?}",
            m.state(victim)
        );
        m.raise(line.line);
        assert_eq!(m.current(), user);
        m.call(user, Call::send(m.handle(to_giver), &[]).accepting_handle());
        let token = m.answer(giver).unwrap().token();
        m.call(giver, Call::reply_handle(token, &[0; 4], m.handle(given)));
        let got = m.answer(user).unwrap().handle().unwrap();
        m.call(user, Call::other(number::CLOSE, &[got]));
        m.call(user, wait);
        m.host.interrupt_after(12);
        m.call_once(giver, Call::receive(m.receive_handle(give)));
    }
}

/// Whose copy was cut short is taken to have a sender, whatever it asks for then.
#[test]
fn rule_9_a_receive_by_a_badge_that_nobody_has_is_no_other_ones_copy() {
    let mut system = System::new();
    let [servers, clients] = [(); 2].map(|()| system.process());
    let server = system.thread(servers, 5);
    let helper = system.thread(servers, 9);
    let client = system.thread(clients, 5);
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 7);
    both_paths(&system, |m| {
        let due = m.now() + 1000;
        m.call(helper, Call::sleep(due));
        m.call(server, Call::sleep(m.now() + 10));
        let from = ram(clients.0).base + 0x2000;
        m.call(client, Call::send_bytes(m.handle(link), from, 2000));
        m.advance(10);
        let own = m.receive_handle(channel);
        let room = ram(servers.0).base + 0x2000;
        m.host.interrupt_after(1);
        assert!(!m.call_once(server, Call::receive(own).room(room, 2000).from_badge(7)));
        m.set_now(due);
        m.advance_to(due);
        assert_eq!(m.current(), helper);
        m.divert(server);
        m.call(helper, Call::sleep(1 << 40));
        m.call(server, Call::receive(own).from_badge(99));
        assert_eq!(
            m.answer(server).and_then(|it| it.error()),
            Some(Error::PeerDied),
            "{:?}",
            m.state(server)
        );
    });
}

/// A message waits that has the badge, and a receive by that badge says that its peer has died.
#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn rule_9_a_message_that_waits_is_received_by_its_badge() {
    let mut system = System::new();
    let [servers, clients, givers] = [(); 3].map(|()| system.process());
    let server = system.thread(servers, 5);
    let client = system.thread(clients, 5);
    let closer = system.thread(clients, 4);
    let giver = system.thread(givers, 5);
    let channel = system.channel(servers);
    let give = system.channel(givers);
    let to_giver = system.connection(clients, give, 1);
    let given = system.transferable(givers, channel, 3);
    // The giver's own connection has the badge, too: it ends.
    both_paths(&system, |m| {
        m.call(giver, Call::receive(m.receive_handle(give)));
        m.call(
            client,
            Call::send(m.handle(to_giver), &[]).accepting_handle(),
        );
        let token = m.answer(giver).unwrap().token();
        m.call(giver, Call::reply_handle(token, &[0; 4], m.handle(given)));
        let got = m.answer(client).unwrap().handle().unwrap();
        m.call(giver, Call::other(number::EXIT, &[0]));
        m.call(server, Call::sleep(m.now() + 1000));
        m.call(client, Call::send(got, &[1, 2]));
        assert_eq!(m.state(client), State::SendBlocked);
        m.call(closer, Call::other(number::CLOSE, &[got]));
        m.advance(1000);
        m.call(
            server,
            Call::receive(m.receive_handle(channel)).from_badge(3),
        );
        let answer = m.answer(server).unwrap();
        assert_eq!(
            answer.error(),
            None,
            "its message waits: {:?}",
            m.state(client)
        );
    });
}
