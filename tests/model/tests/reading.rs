//! Found by another reading: each test says which promise was broken.

use riposte_abi::Error;
use riposte_kernel::State;
use riposte_model::{Call, ChannelId, Connection, Machine, System, ThreadId};

/// A client at 9, and so many servers at 3, each of which sends to the next one. The last process has a thread at 8
/// beside its server.
struct Chain {
    system: System,
    client: ThreadId,
    servers: Vec<ThreadId>,
    /// Beside the first server.
    colleague: ThreadId,
    channels: Vec<ChannelId>,
    links: Vec<Connection>,
}

impl Chain {
    fn new(length: usize) -> Self {
        let mut system = System::new();
        system.slice(1000);
        let first = system.process();
        let client = system.thread(first, 9);
        let processes: Vec<_> = (0..length).map(|_| system.process()).collect();
        let mut servers = Vec::new();
        let mut colleague = None;
        for process in &processes {
            servers.push(system.thread(*process, 3));
            if colleague.is_none() {
                colleague = Some(system.thread(*process, 10));
            }
        }
        let channels: Vec<_> = processes.iter().map(|it| system.channel(*it)).collect();
        let mut links = vec![system.connection(first, channels[0], 1)];
        for index in 1..length {
            links.push(system.connection(processes[index - 1], channels[index], 1));
        }
        Self {
            system,
            client,
            servers,
            colleague: colleague.expect("a chain has servers"),
            channels,
            links,
        }
    }

    /// All wait for each other, and the last one computes at 9. The client has a deadline.
    fn build(&self, m: &mut Machine, deadline: u64) {
        m.call(self.colleague, Call::sleep(deadline + 100_000));
        m.call(self.client, Call::sleep(m.now() + 10));
        for (server, channel) in self.servers.iter().zip(&self.channels) {
            m.receive(*server, *channel);
        }
        m.advance(10);
        let send = Call::send(m.handle(self.links[0]), &[1]);
        m.call(self.client, send.deadline(deadline));
        for (server, link) in self.servers.iter().zip(&self.links[1..]) {
            m.send(*server, *link, &[1]);
        }
    }
}

/// Rules 16 and 23, where the clock's interrupt waits until the clock is asked for another time: while the kernel
/// serves it, it waits still, and is taken for the next one. Nobody goes on with the priorities that are stale.
#[test]
fn rule_16_priorities_follow_a_client_whose_deadline_has_passed_while_the_clock_still_waits() {
    let chain = Chain::new(4);
    let mut m = chain.system.start(true);
    let deadline = m.now() + 500;
    chain.build(&mut m, deadline + 1000);
    m.advance_to(deadline + 1000);
    for server in &chain.servers {
        assert_eq!(m.priority(*server), 3, "its client has left");
    }
}

/// The same, where a call takes away the deadline for which the clock's interrupt waits: then none comes. (The
/// colleague of the client's server answers the client in the moment in which its deadline passes.)
#[test]
fn rule_16_priorities_follow_a_client_that_is_answered_when_its_deadline_passes() {
    let chain = Chain::new(4);
    let mut m = chain.system.start(true);
    let deadline = m.now() + 500;
    m.call(chain.colleague, Call::sleep(deadline));
    m.call(chain.client, Call::sleep(m.now() + 10));
    for (server, channel) in chain.servers.iter().zip(&chain.channels) {
        m.receive(*server, *channel);
    }
    m.advance(10);
    let send = Call::send(m.handle(chain.links[0]), &[1]);
    m.call(chain.client, send.deadline(deadline + 100));
    for (server, link) in chain.servers.iter().zip(&chain.links[1..]) {
        m.send(*server, *link, &[1]);
    }
    m.advance_to(deadline);
    assert_eq!(m.current(), chain.colleague);
    // It passes after the kernel has been entered.
    m.set_now(deadline + 100);
    let token = m.token_of(chain.client);
    m.call(chain.colleague, Call::reply(token, &[]));
}

/// The walk to whose time slice runs is given up for an interrupt, and begins anew when the clock comes. Where the
/// clock's interrupt waits all the while that the kernel serves it, that is for ever: no thread executes anything.
#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn a_chain_of_many_clients_does_not_keep_the_kernel_busy_for_ever_while_the_clock_still_waits() {
    let mut chain = Chain::new(12);
    let rest = chain.system.process();
    let turns = chain.system.round_robin_thread(rest, 2);
    let sleeps = chain.system.thread(rest, 2);
    let mut m = chain.system.start(true);
    let due = m.now() + 2000;
    m.call(chain.colleague, Call::sleep(due + 10_000));
    m.call(chain.client, Call::sleep(m.now() + 10));
    for (server, channel) in chain.servers.iter().zip(&chain.channels) {
        m.receive(*server, *channel);
    }
    m.call(turns, Call::sleep(due + 10_000));
    m.call(sleeps, Call::sleep(due));
    m.advance(10);
    m.send(chain.client, chain.links[0], &[1]);
    for (server, link) in chain.servers.iter().zip(&chain.links[1..]) {
        m.send(*server, *link, &[1]);
    }
    m.advance_to(due);
    assert_eq!(m.current(), chain.servers[11]);
}

/// Rule 9, and "what a call has done is no other call's progress": a selective receive's call word and first word
/// (which says only that it selects by badge) are those of a receive by any badge. A thread that is led from one
/// into another one goes on with the first one's search, and is told `PeerDied` though somebody has its badge.
#[test]
fn rule_9_a_receive_by_badge_does_not_go_on_with_the_search_for_another_badge() {
    for diverted in [false, true] {
        let mut system = System::new();
        let [friends, servers] = [(); 2].map(|()| system.process());
        let _friend = system.thread(friends, 2);
        let server = system.thread(servers, 4);
        let urgent = system.thread(servers, 9);
        // Their handles are searched in between.
        for _ in 0..8 {
            let between = system.process();
            let _ = system.thread(between, 2);
        }
        let others = system.process();
        let _other = system.thread(others, 2);
        let channel = system.channel(servers);
        // In front of where the search for 11 is cut short.
        let _has_22 = system.connection(friends, channel, 22);
        let _has_11 = system.connection(others, channel, 11);
        let mut m = system.start(true);
        let at = m.now() + 100;
        m.call(urgent, Call::sleep(at));
        let handle = m.receive_handle(channel);
        if diverted {
            m.host.interrupt_after(1);
            let done = m.call_once(server, Call::receive(handle).from_badge(11));
            assert!(!done, "the search is cut short");
            m.leap_to(at);
            assert_eq!(m.current(), urgent);
            m.divert(server);
            m.call(urgent, Call::sleep(at + 100));
        }
        m.call(server, Call::receive(handle).from_badge(22));
        assert_ne!(
            m.answer(server).and_then(|answer| answer.error()),
            Some(Error::PeerDied),
            "somebody has the badge (diverted: {diverted})"
        );
        assert_eq!(m.state(server), State::ReceiveBlocked);
    }
}
