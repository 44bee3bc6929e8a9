//! What a fourteenth reading asked for: changes of the kernel's priorities that break a promise, and that no test found.

use riposte_kernel::State;
use riposte_model::{Call, Machine, System, both_paths, interrupt_at_each_step, ram};

/// A server keeps two clients, waits for a third one, and ends at a watchdog's word. Amid that a thread of 12 becomes
/// ready.
#[test]
fn the_end_of_a_process_goes_at_the_priority_of_the_most_urgent_of_several_clients() {
    interrupt_at_each_step(5, |steps| {
        let mut system = System::new();
        let [watchdogs, victim, clients, others] = [(); 4].map(|()| system.process());
        let watchdog = system.thread(watchdogs, 9);
        let main = system.thread(victim, 4);
        let [urgent, less] = [15, 6].map(|priority| system.thread(clients, priority));
        let between = system.thread(others, 12);
        let position = system.control(watchdogs, victim);
        let channel = system.channel(victim);
        let link = system.connection(clients, channel, 1);
        let mut machine = system.start(true);
        let m = &mut machine;
        let start = m.now();
        let receive = Call::receive(m.receive_handle(channel));
        m.call(urgent, Call::send(m.handle(link), &[]));
        m.call(between, Call::sleep(start + 100));
        m.call(watchdog, Call::sleep(start + 50));
        m.call(less, Call::send(m.handle(link), &[]));
        for _ in 0..3 {
            m.call(main, receive);
        }
        m.advance_to(start + 50);
        m.host.interrupt_after(steps);
        m.call_once(watchdog, Call::stop(position));
        let half = m.process(victim).is_dying();
        m.set_now(start + 100);
        m.interrupt();
        m.finish();
        assert!(!m.process(victim).is_dying(), "after {steps} steps");
        assert_eq!(m.state(urgent), State::Ready, "after {steps} steps");
        half
    });
}

/// A server of a fixed priority keeps two clients, one of which owns a lock. A thread of 20 begins to wait for that.
#[test]
fn rule_16_a_client_that_is_raised_while_a_server_of_a_fixed_priority_keeps_it_raises_nobody() {
    let mut system = System::new();
    let [servers, clients, others] = [(); 3].map(|()| system.process());
    let server = system.thread(servers, 9);
    let [client, other] = [6, 5].map(|priority| system.thread(clients, priority));
    let urgent = system.thread(clients, 20);
    let between = system.thread(others, 12);
    let channel = system.channel(servers);
    system.fixed_priority(channel, 8);
    let link = system.connection(clients, channel, 1);
    both_paths(&system, |m| {
        let start = m.now();
        let word = ram(clients.0).base;
        m.call(urgent, Call::sleep(start + 100));
        m.call(between, Call::sleep(start + 100));
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive);
        m.call(client, Call::lock(word));
        m.send(client, link, &[]);
        let token = m.token_of(client);
        m.call(server, receive);
        m.send(other, link, &[]);
        m.advance_to(start + 100);
        m.call(urgent, Call::lock(word));
        assert_eq!([client, server].map(|it| m.priority(it)), [20, 8]);
        m.call(between, Call::sleep(u64::MAX));
        m.call(server, Call::reply(token, &[]));
        assert_eq!((m.current(), m.priority(server)), (client, 8));
        let last = m.token_of(other);
        m.call(client, Call::unlock(word));
        m.call(urgent, Call::sleep(u64::MAX));
        m.call(server, Call::reply(last, &[]));
        m.call(server, receive);
        for client in [client, other] {
            assert_eq!(m.state(client), State::Ready);
        }
    });
}

/// A server keeps a client of one channel, and has received from another one since, whose other receiver keeps a client.
#[test]
fn rule_16_of_several_receivers_one_that_keeps_a_client_of_another_channel_is_not_raised() {
    let mut system = System::new();
    let [servers, clients] = [(); 2].map(|()| system.process());
    let [server, other] = [9, 8].map(|priority| system.thread(servers, priority));
    let urgent = system.thread(clients, 20);
    let [first, second] = [6, 5].map(|priority| system.thread(clients, priority));
    let channels = [(); 2].map(|()| system.channel(servers));
    let links = channels.map(|channel| system.connection(clients, channel, 1));
    both_paths(&system, |m| {
        let start = m.now();
        let receive = |m: &Machine, n: usize| Call::receive(m.receive_handle(channels[n]));
        m.call(urgent, Call::sleep(start + 100));
        m.call(server, receive(m, 0));
        m.call(other, receive(m, 1));
        m.send(first, links[0], &[]);
        m.call(server, receive(m, 1).deadline(start + 50));
        m.send(second, links[1], &[]);
        let has_it = |thread| m.answer(thread).is_some_and(|it| it.error().is_none());
        assert!(has_it(other), "who waited first has the message");
        m.call(other, Call::sleep(u64::MAX));
        m.advance_to(start + 50);
        m.call(server, Call::sleep(u64::MAX));
        m.advance_to(start + 100);
        m.send(urgent, links[1], &[]);
        assert_eq!(m.state(urgent), State::SendBlocked);
        assert_eq!([server, other].map(|it| m.priority(it)), [6, 20]);
    });
}
