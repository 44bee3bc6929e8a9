//! Priority inheritance where a channel has several receivers, and along whatever waits for whom: rules 16
//! and 17, and rule 26 for circles in which a thread would sustain its own priority.

use riposte_abi::Error;
use riposte_kernel::State;
use riposte_model::{Call, ChannelId, Connection, Machine, System, ThreadId, both_paths, ram};

/// Receives from the channel in vain: the thread is one of its receivers from then on.
fn visit(m: &mut Machine, server: ThreadId, channel: ChannelId) {
    let call = Call::receive(m.receive_handle(channel)).deadline(m.now() + 1);
    m.call(server, call);
    m.advance(1);
}

/// A process whose threads, at 5, receive from one channel; clients of theirs at 5; and an urgent one at 20
/// that sleeps until 1000 and then sends.
struct Pool {
    system: System,
    workers: Vec<ThreadId>,
    channel: ChannelId,
    own: Connection,
    clients: Vec<(ThreadId, Connection)>,
    urgent: ThreadId,
    link: Connection,
}

const BEGIN: u64 = 1000;

fn pool(workers: usize) -> Pool {
    let mut system = System::new();
    let process = system.process();
    let workers: Vec<_> = (0..workers).map(|_| system.thread(process, 5)).collect();
    let channel = system.channel(process);
    let own = system.connection(process, channel, 99);
    let clients = (0..workers.len()).map(|badge| {
        let process = system.process();
        let client = system.thread(process, 5);
        (client, system.connection(process, channel, badge as u32))
    });
    let clients = clients.collect();
    let process = system.process();
    let urgent = system.thread(process, 20);
    let link = system.connection(process, channel, 100);
    Pool {
        system,
        workers,
        channel,
        own,
        clients,
        urgent,
        link,
    }
}

impl Pool {
    fn begin(&self, m: &mut Machine) -> u64 {
        let begin = m.now() + BEGIN;
        m.call(self.urgent, Call::sleep(begin));
        begin
    }

    /// The worker serves the client of the same number.
    fn serve(&self, m: &mut Machine, worker: usize) {
        m.receive(self.workers[worker], self.channel);
        let (client, link) = self.clients[worker];
        m.send(client, link, &[]);
        assert_eq!(m.state(client), State::ReplyBlocked);
    }

    /// The urgent client sends at `begin`, and has enough of it 500 later.
    fn interfere(&self, m: &mut Machine, begin: u64) {
        m.advance_to(begin);
        let call = Call::send(m.handle(self.link), &[]).deadline(begin + 500);
        m.call(self.urgent, call);
    }

    fn end(&self, m: &mut Machine, begin: u64) {
        m.advance_to(begin + 500);
        assert_eq!(
            m.answer(self.urgent).unwrap().error(),
            Some(Error::TimedOut)
        );
        m.call(self.urgent, Call::sleep(1 << 40));
    }

    fn priorities(&self, m: &Machine) -> Vec<u8> {
        self.workers
            .iter()
            .map(|thread| m.priority(*thread))
            .collect()
    }
}

#[test]
fn rule_16_receivers_of_one_channel_do_not_keep_the_priority_of_a_client_that_has_left() {
    let pool = pool(2);
    let [first, second] = pool.workers[..] else {
        panic!()
    };
    both_paths(&pool.system, |m| {
        let begin = pool.begin(m);
        // Each has received from the channel, and serves nobody.
        visit(m, first, pool.channel);
        visit(m, second, pool.channel);
        // The first one waits at its own channel, from which the second one may receive.
        m.send(first, pool.own, &[]);
        assert_eq!(m.state(first), State::SendBlocked);
        pool.interfere(m, begin);
        assert_eq!(m.state(pool.urgent), State::SendBlocked);
        pool.end(m, begin);
        assert_eq!(pool.priorities(m), [5, 5]);
        assert!(m.current() != second || m.priority(second) == 5);
    });
}

#[test]
fn rule_16_a_client_that_waits_raises_those_of_several_receivers_that_serve_a_client_and_no_others()
{
    let pool = pool(3);
    both_paths(&pool.system, |m| {
        let begin = pool.begin(m);
        visit(m, pool.workers[2], pool.channel);
        pool.serve(m, 0);
        pool.serve(m, 1);
        pool.interfere(m, begin);
        assert_eq!(pool.priorities(m), [20, 20, 5]);
        pool.end(m, begin);
        assert_eq!(pool.priorities(m), [5, 5, 5]);
    });
}

#[test]
fn rule_16_the_only_receiver_is_raised_even_while_it_serves_nobody() {
    let pool = pool(2);
    both_paths(&pool.system, |m| {
        let begin = pool.begin(m);
        visit(m, pool.workers[0], pool.channel);
        pool.interfere(m, begin);
        assert_eq!(pool.priorities(m), [20, 5]);
        pool.end(m, begin);
        assert_eq!(pool.priorities(m), [5, 5]);
    });
}

#[test]
fn rule_16_a_receiver_that_another_one_joins_is_raised_no_more_while_it_serves_nobody() {
    let pool = pool(2);
    both_paths(&pool.system, |m| {
        let begin = pool.begin(m);
        visit(m, pool.workers[0], pool.channel);
        let (client, link) = pool.clients[0];
        let (other, other_link) = pool.clients[1];
        m.send(client, link, &[]);
        m.send(other, other_link, &[]);
        pool.interfere(m, begin);
        assert_eq!(pool.priorities(m), [20, 5]);
        m.call(pool.workers[0], Call::sleep(m.now() + 10));
        m.receive(pool.workers[1], pool.channel);
        assert_eq!(m.state(pool.urgent), State::ReplyBlocked);
        m.advance(10);
        // The two others wait still; who serves the urgent client is raised, not who serves nobody.
        assert_eq!(pool.priorities(m), [5, 20]);
    });
}

#[test]
fn rule_26_a_circle_through_one_of_several_receivers_is_refused() {
    let mut pool = pool(2);
    let process = pool.system.process();
    let server = pool.system.thread(process, 5);
    let there = pool.system.channel(process);
    let back = pool.system.connection(process, pool.channel, 7);
    let out = pool
        .system
        .connection(riposte_model::ProcessId(0), there, 1);
    both_paths(&pool.system, |m| {
        pool.begin(m);
        m.receive(server, there);
        pool.serve(m, 0);
        pool.serve(m, 1);
        m.send(pool.workers[0], out, &[]);
        assert_eq!(m.state(pool.workers[0]), State::ReplyBlocked);
        // The worker that waits for the server would lend the server its own priority.
        let call = Call::send(m.handle(back), &[]);
        assert_eq!(m.refused(server, call), Error::Deadlock);
        let call = Call::send(m.handle(pool.own), &[]);
        assert_eq!(m.refused(pool.workers[1], call), Error::Deadlock);
    });
}

#[test]
fn rule_26_all_the_threads_that_a_client_would_raise_count_towards_the_depth_and_each_once() {
    for depth in 3..6 {
        let mut pool = pool(3);
        pool.system.depth(depth);
        let process = pool.system.process();
        let server = pool.system.thread(process, 5);
        let there = pool.system.channel(process);
        let out = pool
            .system
            .connection(riposte_model::ProcessId(0), there, 1);
        both_paths(&pool.system, |m| {
            let begin = pool.begin(m);
            (0..3).for_each(|worker| pool.serve(m, worker));
            // Two of them wait for the same server, which sleeps.
            visit(m, server, there);
            m.call(server, Call::sleep(1 << 40));
            m.send(pool.workers[0], out, &[]);
            m.send(pool.workers[1], out, &[]);
            m.advance_to(begin);
            let call = Call::send(m.handle(pool.link), &[]);
            if depth < 4 {
                assert_eq!(m.refused(pool.urgent, call), Error::Deadlock);
            } else {
                m.call(pool.urgent, call);
                assert_eq!(pool.priorities(m), [20, 20, 20]);
                assert_eq!(m.priority(server), 20);
            }
        });
    }
}

#[test]
fn a_channel_has_no_more_receivers_than_the_depth() {
    let mut pool = pool(3);
    pool.system.depth(2);
    both_paths(&pool.system, |m| {
        pool.begin(m);
        visit(m, pool.workers[0], pool.channel);
        visit(m, pool.workers[1], pool.channel);
        let call = Call::receive(m.receive_handle(pool.channel));
        assert_eq!(m.refused(pool.workers[2], call), Error::Exhausted);
        m.receive(pool.workers[1], pool.channel);
    });
}

/// Finding 4 of the first edition's review: a chain of channels with two receivers each was followed by
/// recursion, however long it was.
#[test]
fn rule_26_a_chain_through_channels_with_two_receivers_is_as_long_as_the_depth_at_most() {
    const LAYERS: usize = 6;
    let mut system = System::new();
    let processes: Vec<_> = (0..LAYERS).map(|_| system.process()).collect();
    let servers: Vec<_> = processes
        .iter()
        .map(|process| [(); 2].map(|()| system.thread(*process, 5)))
        .collect();
    let channels: Vec<_> = processes.iter().map(|it| system.channel(*it)).collect();
    let links: Vec<_> = (1..LAYERS)
        .map(|layer| system.connection(processes[layer - 1], channels[layer], 1))
        .collect();
    let clients: Vec<_> = channels
        .iter()
        .map(|channel| {
            [1, 2].map(|badge| {
                let process = system.process();
                let client = system.thread(process, 5);
                (client, system.connection(process, *channel, badge))
            })
        })
        .collect();
    system.depth(6);
    both_paths(&system, |m| {
        for layer in 0..LAYERS {
            for (server, (client, link)) in servers[layer].iter().zip(&clients[layer]) {
                m.receive(*server, channels[layer]);
                m.send(*client, *link, &[]);
                assert_eq!(m.state(*client), State::ReplyBlocked);
            }
        }
        // One of each layer waits for the two of the next one, and so for all that follow.
        for layer in (0..LAYERS - 1).rev() {
            let server = servers[layer][0];
            let call = Call::send(m.handle(links[layer]), &[]);
            if 2 * (LAYERS - 1 - layer) <= 6 {
                m.call(server, call);
                assert_eq!(m.state(server), State::SendBlocked);
            } else {
                assert_eq!(m.refused(server, call), Error::Deadlock);
                break;
            }
        }
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_16_who_waits_for_a_threads_end_lends_it_its_priority() {
    let mut system = System::new();
    let process = system.process();
    let main = system.thread(process, 20);
    let worker = system.thread(process, 5);
    let other = system.process();
    let middle = system.thread(other, 10);
    both_paths(&system, |m| {
        m.call(main, Call::sleep(m.now() + 1));
        m.call(middle, Call::sleep(m.now() + 10));
        m.advance(1);
        let join = Call::join(m.thread(worker).id());
        m.call(main, join.deadline(m.now() + 20));
        assert_eq!((m.current(), m.priority(worker)), (worker, 20));
        m.advance(10);
        assert_eq!(m.current(), worker, "the main thread waits for it");
        m.advance(10);
        assert_eq!(m.answer(main).unwrap().error(), Some(Error::TimedOut));
        assert_eq!(m.priority(worker), 5);
        m.call(main, join);
        m.call(worker, Call::exit_thread(0));
        assert_eq!(m.current(), main);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_16_who_waits_for_the_end_of_a_server_raises_it_while_it_serves() {
    let mut system = System::new();
    let process = system.process();
    let main = system.thread(process, 8);
    let worker = system.thread(process, 5);
    let channel = system.channel(process);
    let other = system.process();
    let client = system.thread(other, 3);
    let link = system.connection(other, channel, 1);
    both_paths(&system, |m| {
        let join = Call::join(m.thread(worker).id());
        m.call(main, join);
        assert_eq!(m.priority(worker), 8);
        m.receive(worker, channel);
        m.send(client, link, &[]);
        assert_eq!(m.priority(worker), 8, "not its client's 3");
        let token = m.token_of(client);
        m.call(worker, Call::reply(token, &[]));
        assert_eq!(m.priority(worker), 8, "not its own 5");
        let call = Call::receive(m.receive_handle(channel));
        m.call(worker, call);
        m.send(client, link, &[]);
        let token = m.token_of(client);
        let call = Call::reply_receive(m.receive_handle(channel), token, &[]);
        m.call(worker, call);
        m.send(client, link, &[]);
        assert_eq!(m.priority(worker), 8);
    });
}

#[test]
fn rule_16_of_many_clients_the_most_urgent_counts_and_a_change_of_its_priority() {
    let mut system = System::new();
    let servers = system.process();
    let server = system.thread(servers, 30);
    let channel = system.channel(servers);
    let process = system.process();
    let urgent = system.thread(process, 20);
    let link = system.connection(process, channel, 1);
    let clients: Vec<_> = (4..12)
        .map(|priority| system.thread(process, priority))
        .collect();
    let lock = ram(process.0).base + 0x800;
    both_paths(&system, |m| {
        let wake = m.now() + 100;
        m.call(server, Call::sleep(wake + 2));
        m.call(urgent, Call::sleep(wake));
        for client in clients.iter().rev() {
            if *client == clients[2] {
                m.call(*client, Call::lock(lock));
            }
            m.send(*client, link, &[]);
        }
        m.advance_to(wake);
        m.call(urgent, Call::sleep(wake + 3));
        m.advance_to(wake + 2);
        for _ in &clients {
            m.receive(server, channel);
        }
        assert_eq!(m.priority(server), 11, "it serves all of them");
        m.call(server, Call::sleep(wake + 5));
        // One in the middle owns the lock.
        m.advance_to(wake + 3);
        m.call(urgent, Call::lock(lock).deadline(wake + 8));
        m.advance_to(wake + 5);
        assert_eq!((m.current(), m.priority(server)), (server, 20));
        m.advance_to(wake + 8);
        m.call(urgent, Call::sleep(1 << 40));
        assert_eq!((m.current(), m.priority(server)), (server, 11));
        for expected in [10, 9, 8, 7, 6, 5, 4, 30] {
            let served = clients.iter().copied();
            let served = served.filter(|client| m.state(*client) == State::ReplyBlocked);
            let highest = served.max_by_key(|client| m.priority(*client)).unwrap();
            let token = m.token_of(highest);
            m.call(server, Call::reply(token, &[]));
            assert_eq!(m.priority(server), expected);
            if expected != 30 {
                m.call(highest, Call::sleep(1 << 40));
            }
        }
    });
}

#[test]
fn rule_16_a_priority_goes_along_a_chain_that_has_grown_however_often_an_interrupt_comes() {
    const LINKS: usize = 12;
    let mut system = System::new();
    let first = system.process();
    let owner = system.thread(first, 5);
    let mut servers = Vec::new();
    let mut from = first;
    for _ in 0..LINKS {
        let process = system.process();
        let server = system.thread(process, 5);
        let channel = system.channel(process);
        servers.push((server, channel, system.connection(from, channel, 1)));
        from = process;
    }
    let process = system.process();
    let urgent = system.thread(process, 20);
    for process in [first, process] {
        system.share(process, riposte_kernel::Access::Shared);
    }
    let word = |process: usize| riposte_model::shared(process, riposte_kernel::Access::Shared).base;
    let (own, other) = (word(first.0), word(process.0));
    system.depth(2 + LINKS as u8);
    for interrupted in [false, true] {
        both_paths(&system, |m| {
            m.call(urgent, Call::sleep(m.now() + 10));
            for (server, channel, _) in &servers {
                m.receive(*server, *channel);
            }
            m.call(owner, Call::lock(own));
            let mut client = owner;
            for (server, _, link) in &servers {
                m.send(client, *link, &[]);
                assert_eq!(m.state(client), State::ReplyBlocked);
                client = *server;
            }
            m.advance(10);
            if interrupted {
                m.host.interrupt_after(1);
            }
            let call = Call::lock(other).deadline(m.now() + 10);
            m.call(urgent, call);
            assert_eq!(m.state(urgent), State::FutexBlocked);
            assert!(servers.iter().all(|(server, ..)| m.priority(*server) == 20));
            m.advance(10);
            assert!(servers.iter().all(|(server, ..)| m.priority(*server) == 5));
        });
    }
}
