//! What a copy, a search or a walk that an interrupt cut short leaves over, and what others can do to it.

use riposte_abi::{Error, call::number};
use riposte_kernel::{OnEnd, State};
use riposte_model::{Call, LineKind, Machine, System, both_paths, interrupt_at_each_step, ram};

const LENGTH: u32 = 2000;

/// A server of a process with `others` further threads, a client of another.
struct World {
    system: System,
    server: riposte_model::ThreadId,
    others: Vec<riposte_model::ThreadId>,
    client: riposte_model::ThreadId,
    channel: riposte_model::ChannelId,
    link: riposte_model::Connection,
    server_ram: u32,
    client_ram: u32,
}

fn world(others: usize) -> World {
    let mut system = System::new();
    let [servers, clients] = [(); 2].map(|()| system.process());
    system.on_end(servers, OnEnd::Restart);
    let server = system.thread(servers, 5);
    let others = (0..others).map(|_| system.thread(servers, 4)).collect();
    let client = system.thread(clients, 5);
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 7);
    World {
        system,
        server,
        others,
        client,
        channel,
        link,
        server_ram: ram(servers.0).base + 0x2000,
        client_ram: ram(clients.0).base + 0x2000,
    }
}

impl World {
    /// The client sends long bytes, with this deadline; the server takes none of them with the message, and reads them
    /// with one interruption. The read has returned.
    fn read(&self, m: &mut Machine, deadline: Option<u64>) -> riposte_model::Token {
        m.call(self.server, Call::receive(m.receive_handle(self.channel)));
        let send = Call::send_bytes(m.handle(self.link), self.client_ram, LENGTH);
        let send = match deadline {
            Some(at) => send.deadline(at),
            None => send,
        };
        m.call(self.client, send);
        let token = m.answer(self.server).unwrap().token();
        m.host.interrupt_after(1);
        let read = Call::read(token, self.server_ram, LENGTH, 0);
        assert!(!m.call_once(self.server, read));
        m.interrupt();
        assert!(m.repeat(self.server));
        assert_eq!(m.answer(self.server).unwrap().word(), LENGTH);
        token
    }
}

#[test]
fn threads_are_all_started_whoever_leaves_meanwhile() {
    let world = world(3);
    both_paths(&world.system, |m| {
        let due = m.now() + 10_000;
        m.fault(world.server);
        assert!(world.others.iter().all(|it| m.state(*it) == State::Stopped));
        m.call(
            world.client,
            Call::other(number::CONNECT, &[world.link.slot as u32]),
        );
        world.read(m, Some(due));
        m.host.interrupt_after(1);
        assert!(!m.call_once(world.server, Call::other(number::START_THREADS, &[])));
        m.set_now(due);
        m.advance_to(due);
        if m.must_repeat(world.server) {
            m.repeat(world.server);
        }
        let stopped = world
            .others
            .iter()
            .filter(|it| m.state(**it) == State::Stopped);
        assert_eq!(stopped.count(), 0, "threads are never started");
    });
}

#[test]
fn rule_19_a_requeue_is_not_forgotten_in_its_middle_when_a_client_leaves() {
    let world = world(4);
    let word = |number: u32| world.server_ram + 0x1000 + number * 4;
    both_paths(&world.system, |m| {
        let due = m.now() + 10_000;
        m.call(world.server, Call::sleep(m.now() + 10));
        m.call(world.client, Call::sleep(m.now() + 10));
        for other in &world.others {
            m.call(*other, Call::futex_wait(word(0), 0));
        }
        m.advance(10);
        world.read(m, Some(due));
        m.host.interrupt_after(1);
        let call = Call::futex_requeue(word(0), 0, 1, word(1), 9);
        assert!(!m.call_once(world.server, call));
        // As a broadcast's word has changed by then.
        m.host.poke_word(word(0), 1);
        m.set_now(due);
        m.advance_to(due);
        assert!(m.must_repeat(world.server));
        m.repeat(world.server);
        let answer = m.answer(world.server).unwrap();
        assert_eq!(answer.error(), None, "it has woken somebody, and fails");
        assert_eq!(answer.words()[..2], [1, 3]);
    });
}

#[test]
fn rule_19_a_wake_of_two_wakes_two_when_a_client_leaves() {
    let world = world(4);
    let word = |number: u32| world.server_ram + 0x1000 + number * 4;
    both_paths(&world.system, |m| {
        let due = m.now() + 10_000;
        m.call(world.server, Call::sleep(m.now() + 10));
        m.call(world.client, Call::sleep(m.now() + 10));
        for other in &world.others {
            m.call(*other, Call::futex_wait(word(0), 0));
        }
        m.advance(10);
        world.read(m, Some(due));
        m.host.interrupt_after(1);
        assert!(!m.call_once(world.server, Call::futex_wake(word(0), 2)));
        m.set_now(due);
        m.advance_to(due);
        m.repeat(world.server);
        let woken = world
            .others
            .iter()
            .filter(|it| m.state(**it) == State::Ready);
        assert_eq!(woken.count(), 2);
    });
}

#[test]
fn rule_9_a_receive_by_a_badge_that_nobody_has_fails_after_a_read_that_was_interrupted() {
    let world = world(1);
    for answered in [false, true] {
        both_paths(&world.system, |m| {
            let token = world.read(m, None);
            let own = m.receive_handle(world.channel);
            if answered {
                // By the path for words, which waits for the next message: a notice.
                m.call(world.server, Call::reply_receive(own, token, &[]));
                m.call(world.client, Call::sleep(m.now() + 100));
                m.call(world.others[0], Call::notify(own, 1));
                assert_eq!(m.current(), world.server);
            }
            let call = Call::receive(own).from_badge(99);
            m.call(world.server, call);
            let answer = m.answer(world.server);
            assert_eq!(
                answer.and_then(|answer| answer.error()),
                Some(Error::PeerDied),
                "answered: {answered}, state {:?}",
                m.state(world.server)
            );
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn rule_9_who_waits_for_a_badge_waits_on_while_somebody_has_it_though_it_changes_hands_in_the_middle_of_a_death()
 {
    let mut system = System::new();
    let [users, servers] = [(); 2].map(|()| system.process());
    let user = system.thread(users, 20);
    let server = system.thread(servers, 6);
    // A search looks at 32 slots in a step.
    for _ in 0..6 {
        let other = system.process();
        system.thread(other, 1);
    }
    let [givers, origins] = [(); 2].map(|()| system.process());
    let giver = system.thread(givers, 19);
    let origin = system.thread(origins, 4);
    let wanted = system.channel(servers);
    let give = system.channel(givers);
    let first = system.channel(origins);
    let own = system.channel(users);
    let line = system.interrupt(users, LineKind::Edge);
    let to_giver = system.connection(users, give, 1);
    let to_origin = system.connection(givers, first, 2);
    let badge = system.transferable(origins, wanted, 5);
    interrupt_at_each_step(5, |steps| {
        let mut machine = system.start(true);
        let m = &mut machine;
        m.wait_for_interrupt(user, line, own);
        // The giver gets the connection of the origin.
        m.call(
            giver,
            Call::send(m.handle(to_origin), &[]).accepting_handle(),
        );
        m.call(
            server,
            Call::receive(m.receive_handle(wanted)).from_badge(5),
        );
        assert_eq!(m.state(server), State::ReceiveBlocked);
        let message = m.answer_to(origin, Call::receive(m.receive_handle(first)));
        let connection = m.handle(badge);
        m.call(
            origin,
            Call::reply_handle(message.token(), &[0; 4], connection),
        );
        let got = m.answer(giver).unwrap().handle().unwrap();
        m.call(giver, Call::receive(m.receive_handle(give)));
        assert_eq!(m.current(), origin);
        let half = m.exit_interrupted(origin, steps);
        if m.state(server) != State::ReceiveBlocked {
            panic!("told too early, after {steps}");
        }
        m.raise_amid(line.line);
        m.call(user, Call::send(m.handle(to_giver), &[]).accepting_handle());
        let token = m.answer(giver).unwrap().token();
        m.call(giver, Call::reply_handle(token, &[0; 4], got));
        m.call(user, Call::sleep(m.now() + 1000));
        m.call(giver, Call::other(number::CLOSE, &[got]));
        assert_eq!(m.answer(giver).unwrap().error(), None);
        m.call(giver, Call::sleep(1 << 40));
        m.finish();
        assert_eq!(
            m.state(server),
            State::ReceiveBlocked,
            "user can send, {:?} after {steps} steps",
            m.answer(server).map(|answer| answer.error())
        );
        half
    });
}

#[test]
fn rule_26_a_send_through_pools_is_decided_whatever_interrupts() {
    let mut system = System::new();
    let [pool, behind, clients] = [(); 3].map(|()| system.process());
    let servers = [(); 2].map(|()| system.thread(pool, 6));
    for _ in 0..2 {
        system.thread(behind, 2);
    }
    let senders = [(); 3].map(|()| system.thread(clients, 5));
    let channel = system.channel(pool);
    let further = system.channel(behind);
    let link = system.connection(clients, channel, 1);
    let on = system.connection(pool, further, 2);
    both_paths(&system, |m| {
        for server in servers {
            m.call(server, Call::receive(m.receive_handle(channel)));
        }
        for (server, sender) in servers.into_iter().zip(senders) {
            m.call(sender, Call::send(m.handle(link), &[]));
            m.call(server, Call::send(m.handle(on), &[]));
            assert_eq!(m.state(server), State::SendBlocked);
        }
        m.host.interrupt_after(1);
        let mut times = 0;
        let mut done = m.call_once(senders[2], Call::send(m.handle(link), &[]));
        while !done {
            times += 1;
            assert!(times < 1000, "it makes progress");
            m.interrupt();
            m.host.interrupt_after(1);
            done = m.repeat(senders[2]);
        }
    });
}

/// A search begins anew whenever anybody opens anything: a more urgent process that gets and closes a handle of its
/// own affair once in a while (here after each 10th look; a search has 16) keeps the victim in its call for ever.
#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn rule_9_a_search_for_a_badge_ends_whatever_strangers_open() {
    let mut system = System::new();
    let [users, givers, victims] = [(); 3].map(|()| system.process());
    let user = system.thread(users, 20);
    let giver = system.thread(givers, 19);
    let victim = system.thread(victims, 5);
    for _ in 0..60 {
        let other = system.process();
        system.thread(other, 1);
    }
    let own = system.channel(users);
    let line = system.interrupt(users, LineKind::Edge);
    let give = system.channel(givers);
    let stranger = system.channel(givers);
    let wanted = system.channel(victims);
    let to_giver = system.connection(users, give, 1);
    let given = system.transferable(givers, stranger, 3);
    both_paths(&system, |m| {
        let wait = m.wait_for_interrupt(user, line, own);
        m.call(giver, Call::receive(m.receive_handle(give)));
        let call = Call::receive(m.receive_handle(wanted)).from_badge(99);
        // How many looks a search has.
        let mut looks = 1;
        loop {
            m.host.interrupt_after(looks);
            if m.call_once(victim, call) {
                break;
            }
            m.interrupt();
            assert!(m.repeat(victim));
            looks += 1;
        }
        assert_eq!(m.answer(victim).unwrap().error(), Some(Error::PeerDied));
        m.host.interrupt_after(10);
        let mut done = m.call_once(victim, call);
        let mut times = 0;
        while !done {
            times += 1;
            assert!(times < 1000, "{looks} looks a search, and it never ends");
            m.raise(line.line);
            m.call(user, Call::send(m.handle(to_giver), &[]).accepting_handle());
            let token = m.answer(giver).unwrap().token();
            let handle = m.handle(given);
            m.call(giver, Call::reply_handle(token, &[0; 4], handle));
            let got = m.answer(user).unwrap().handle().unwrap();
            m.call(user, Call::other(number::CLOSE, &[got]));
            m.call(user, wait);
            m.call(giver, Call::receive(m.receive_handle(give)));
            assert_eq!(m.current(), victim);
            m.host.interrupt_after(10);
            done = m.repeat(victim);
        }
    });
}

/// The same the other way round, and after the message is over: who was read keeps the link.
#[test]
fn rule_19_a_wake_of_two_wakes_two_when_a_former_server_moves() {
    let mut system = System::new();
    let [servers, clients, others] = [(); 3].map(|()| system.process());
    let server = system.thread(servers, 5);
    let client = system.thread(clients, 5);
    let sleepers = [(); 4].map(|()| system.thread(clients, 4));
    let urgent = system.thread(others, 9);
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 7);
    let other_link = system.connection(others, channel, 8);
    let word = ram(clients.0).base + 0x3000;
    both_paths(&system, |m| {
        let due = m.now() + 10_000;
        m.call(urgent, Call::sleep(due));
        let own = m.receive_handle(channel);
        m.call(server, Call::receive(own));
        m.call(client, Call::sleep(m.now() + 10));
        for sleeper in sleepers {
            m.call(sleeper, Call::futex_wait(word, 0));
        }
        m.advance(10);
        let (from, to) = (ram(clients.0).base + 0x2000, ram(servers.0).base + 0x2000);
        m.call(client, Call::send_bytes(m.handle(link), from, LENGTH));
        let token = m.answer(server).unwrap().token();
        m.host.interrupt_after(1);
        assert!(!m.call_once(server, Call::read(token, to, LENGTH, 0)));
        m.interrupt();
        assert!(m.repeat(server));
        m.call(server, Call::reply_receive(own, token, &[]));
        assert_eq!(m.current(), client, "it is answered");
        m.host.interrupt_after(1);
        assert!(!m.call_once(client, Call::futex_wake(word, 2)));
        m.set_now(due);
        m.advance_to(due);
        assert_eq!(m.current(), urgent);
        m.call(
            urgent,
            Call::send(m.handle(other_link), &[]).accepting_handle(),
        );
        m.call(server, Call::reply_receive(own, m.token_of(urgent), &[]));
        m.call(urgent, Call::sleep(1 << 40));
        m.repeat(client);
        let woken = sleepers.iter().filter(|it| m.state(**it) == State::Ready);
        assert_eq!(woken.count(), 2);
    });
}
