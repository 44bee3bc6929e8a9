//! In which order messages are taken, and who runs: rules 11, 15 and 16.

use riposte_kernel::{State, limits::LEVELS};
use riposte_model::{Call, Connection, Machine, Pair, System, ThreadId, both_paths};

/// All of these send, the most urgent first since only they run.
fn send_all(m: &mut Machine, clients: &[(ThreadId, Connection)]) {
    for (client, link) in clients {
        let call = Call::send(m.handle(*link), &[client.0 as u32]);
        m.call(*client, call);
    }
}

/// A server at 30 that sleeps, and clients at these priorities.
fn queue(priorities: &[u8]) -> (Pair, Vec<(ThreadId, Connection)>) {
    let mut pair = Pair::new();
    let clients = priorities
        .iter()
        .enumerate()
        .map(|(index, priority)| pair.another_client(*priority, 20 + index as u32))
        .collect();
    (pair, clients)
}

#[test]
fn rule_11_messages_are_taken_in_priority_order_and_first_in_first_out_within_one() {
    let (pair, clients) = queue(&[10, 10, 10]);
    both_paths(&pair.system, |m| {
        send_all(m, &clients);
        for (client, _) in &clients {
            pair.receive(m);
            let got = m.answer(pair.server).unwrap();
            assert_eq!(got.word(), client.0 as u32);
            m.call(pair.server, Call::reply(got.token(), &[]));
        }
    });
}

/// Clients at 5, 9 and 7 send in this order while a server at 3 does not receive.
fn staggered() -> (
    System,
    ThreadId,
    riposte_model::ChannelId,
    Vec<(ThreadId, Connection)>,
) {
    let mut system = System::new();
    let owner = system.process();
    let server = system.thread(owner, 3);
    let channel = system.channel(owner);
    let mut clients = Vec::new();
    for (index, priority) in [5, 9, 7].into_iter().enumerate() {
        let process = system.process();
        let client = system.thread(process, priority);
        clients.push((client, system.connection(process, channel, index as u32)));
    }
    (system, server, channel, clients)
}

fn send_staggered(m: &mut Machine, clients: &[(ThreadId, Connection)]) {
    let now = m.now();
    m.call(clients[1].0, Call::sleep(now + 10));
    m.call(clients[2].0, Call::sleep(now + 20));
    send_all(m, &clients[..1]);
    m.advance(10);
    send_all(m, &clients[1..2]);
    m.advance(10);
    send_all(m, &clients[2..]);
}

#[test]
fn rule_11_the_most_urgent_message_is_taken_first() {
    let (system, server, channel, clients) = staggered();
    both_paths(&system, |m| {
        send_staggered(m, &clients);
        let channel = m.receive_handle(channel);
        let mut taken = Vec::new();
        for _ in 0..3 {
            let got = m.answer_to(server, Call::receive(channel));
            taken.push(got.word());
        }
        let expected = [1, 2, 0].map(|index: usize| clients[index].0.0 as u32);
        assert_eq!(taken, expected);
    });
}

#[test]
fn rule_11_a_channel_may_ask_for_the_order_of_arrival() {
    let (mut system, server, channel, clients) = staggered();
    system.arrival_order(channel);
    both_paths(&system, |m| {
        send_staggered(m, &clients);
        let channel = m.receive_handle(channel);
        let mut taken = Vec::new();
        for _ in 0..3 {
            let got = m.answer_to(server, Call::receive(channel));
            taken.push(got.badge());
        }
        assert_eq!(taken, [0, 1, 2]);
    });
}

#[test]
fn rule_11_in_the_order_of_arrival_a_change_of_priority_changes_no_place() {
    let mut system = System::new();
    let far = system.process();
    let middle = system.process();
    let other = system.process();
    let server = system.thread(far, 3);
    let relay = system.thread(middle, 5);
    let rival = system.thread(other, 5);
    let caller = system.thread(other, 9);
    let (goal, near) = (system.channel(far), system.channel(middle));
    system.arrival_order(goal);
    let relayed = system.connection(middle, goal, 1);
    let rivals = system.connection(other, goal, 2);
    let called = system.connection(other, near, 3);
    both_paths(&system, |m| {
        let now = m.now();
        m.call(caller, Call::sleep(now + 10));
        let receive = Call::receive(m.receive_handle(near)).deadline(now + 1);
        m.call(relay, receive);
        m.advance(1);
        for (thread, link) in [(relay, relayed), (rival, rivals)] {
            let call = Call::send(m.handle(link), &[]);
            m.call(thread, call);
        }
        m.advance(9);
        let call = Call::send(m.handle(called), &[]);
        m.call(caller, call);
        assert_eq!(m.priority(relay), 9);
        let receive = Call::receive(m.receive_handle(goal));
        assert_eq!(m.answer_to(server, receive).badge(), 1);
    });
}

#[test]
fn rule_11_a_waiting_message_moves_up_with_its_senders_priority() {
    let mut system = System::new();
    let far = system.process();
    let middle = system.process();
    let other = system.process();
    let urgent = system.process();
    let last = system.thread(far, 3);
    let relay = system.thread(middle, 5);
    let rival = system.thread(other, 6);
    let caller = system.thread(urgent, 9);
    let (to_last, to_relay) = (system.channel(far), system.channel(middle));
    let relayed = system.connection(middle, to_last, 1);
    let rivals = system.connection(other, to_last, 2);
    let called = system.connection(urgent, to_relay, 3);
    both_paths(&system, |m| {
        let now = m.now();
        m.call(caller, Call::sleep(now + 10));
        m.call(rival, Call::sleep(now + 5));
        let relay_channel = m.receive_handle(to_relay);
        let last_channel = m.receive_handle(to_last);
        // Each has waited at its channel once, so that it serves it.
        m.call(relay, Call::receive(relay_channel).deadline(now + 1));
        m.call(last, Call::receive(last_channel).deadline(now + 1));
        m.advance(1);
        let call = Call::send(m.handle(relayed), &[1]);
        m.call(relay, call);
        m.advance(4);
        let call = Call::send(m.handle(rivals), &[2]);
        m.call(rival, call);
        assert_eq!(m.priority(last), 6);
        m.advance(5);
        let call = Call::send(m.handle(called), &[3]);
        m.call(caller, call);
        let senders: Vec<_> = m.channel(to_last).senders().map(|t| t.index).collect();
        assert_eq!(senders, [relay.0 as u8, rival.0 as u8]);
        assert_eq!(m.priority(last), 9);
    });
}

#[test]
fn rule_15_the_most_urgent_ready_thread_runs() {
    let mut system = System::new();
    let process = system.process();
    let low = system.thread(process, 1);
    let high = system.thread(process, 31);
    let middle = system.thread(process, 16);
    both_paths(&system, |m| {
        assert_eq!(m.current(), high);
        m.call(high, Call::sleep(m.now() + 20));
        assert_eq!(m.current(), middle);
        m.call(middle, Call::sleep(m.now() + 10));
        assert_eq!(m.current(), low);
        m.advance(10);
        assert_eq!(m.current(), middle);
        m.advance(10);
        assert_eq!(m.current(), high);
    });
}

#[test]
fn rule_15_whatever_the_number_of_levels_the_most_urgent_runs() {
    let mut system = System::new();
    let process = system.process();
    let top = (LEVELS - 1) as u8;
    let priorities: Vec<u8> = (0..12).map(|index| 1 + index * ((top - 1) / 11)).collect();
    let threads: Vec<_> = priorities
        .iter()
        .map(|priority| system.thread(process, *priority))
        .collect();
    both_paths(&system, |m| {
        for _ in 0..3 {
            let later = m.now() + 100;
            for thread in threads.iter().rev() {
                assert_eq!(m.current(), *thread);
                m.call(*thread, Call::sleep(later));
            }
            assert_eq!(m.current(), m.idle());
            m.advance_to(later);
        }
    });
}

#[test]
fn rule_15_fifo_threads_run_until_they_give_way() {
    let mut system = System::new();
    let process = system.process();
    let threads: Vec<_> = (0..4).map(|_| system.thread(process, 10)).collect();
    system.slice(100);
    both_paths(&system, |m| {
        for turn in 0..12 {
            assert_eq!(m.current(), threads[turn % 4]);
            m.advance(1_000_000);
            assert_eq!(m.current(), threads[turn % 4], "time does not matter");
            m.call(threads[turn % 4], Call::give_way());
        }
    });
}

#[test]
fn rule_15_a_preempted_thread_keeps_its_place() {
    let mut system = System::new();
    let process = system.process();
    let threads: Vec<_> = (0..3).map(|_| system.thread(process, 10)).collect();
    let high = system.thread(process, 11);
    both_paths(&system, |m| {
        m.call(high, Call::sleep(m.now() + 10));
        m.call(threads[0], Call::give_way());
        assert_eq!(m.current(), threads[1]);
        m.advance(10);
        assert_eq!(m.current(), high);
        m.call(high, Call::sleep(m.now() + 10));
        for turn in [1, 2, 0, 1] {
            assert_eq!(m.current(), threads[turn]);
            m.call(threads[turn], Call::give_way());
        }
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_round_robin_threads_take_turns() {
    let mut system = System::new();
    let process = system.process();
    let threads: Vec<_> = (0..3)
        .map(|_| system.round_robin_thread(process, 10))
        .collect();
    system.slice(100);
    both_paths(&system, |m| {
        let first = m.current().0;
        for turn in 0..9 {
            assert_eq!(m.current(), threads[(first + turn) % 3]);
            m.advance(100);
        }
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_a_round_robin_thread_gives_way_to_a_fifo_thread_which_keeps_the_processor() {
    let mut system = System::new();
    let process = system.process();
    let turns = system.round_robin_thread(process, 10);
    let stays = system.thread(process, 10);
    system.slice(100);
    both_paths(&system, |m| {
        m.run(turns);
        m.advance(100);
        assert_eq!(m.current(), stays);
        m.advance(1000);
        assert_eq!(m.current(), stays);
        m.call(stays, Call::give_way());
        assert_eq!(m.current(), turns);
        m.advance(100);
        assert_eq!(m.current(), stays);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_turns_end_even_while_short_messages_take_the_fast_path() {
    let mut pair = Pair::new();
    let server = pair.server;
    let process = pair.system.process();
    let client = pair.system.round_robin_thread(process, 10);
    let link = pair.system.connection(process, pair.channel, 3);
    let other = pair.system.process();
    let rival = pair.system.thread(other, 10);
    pair.system.slice(100);
    // Where in the exchange the turn ends does not matter.
    for (at_client, at_server) in [(50, 0), (0, 50), (10, 40), (49, 1), (1, 49)] {
        both_paths(&pair.system, |m| {
            let later = m.now() + 1_000_000;
            m.call(pair.client, Call::sleep(later));
            let channel = m.receive_handle(pair.channel);
            m.call(server, Call::receive(channel));
            m.run(client);
            let handle = m.handle(link);
            for _ in 0..10 {
                m.advance(at_client);
                if m.current() == rival {
                    break;
                }
                m.call(client, Call::send(handle, &[]));
                let token = m.answer(server).unwrap().token();
                m.advance(at_server);
                if m.current() == rival {
                    break;
                }
                m.call(server, Call::reply_receive(channel, token, &[]));
            }
            assert_eq!(m.current(), rival, "its turn comes");
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_a_server_that_has_answered_takes_no_turn_of_its_clients() {
    let mut pair = Pair::new();
    let server = pair.server;
    let process = pair.system.process();
    let client = pair.system.round_robin_thread(process, 10);
    let link = pair.system.connection(process, pair.channel, 3);
    let room = 0x2002_0000;
    let other = pair.system.process();
    let _rival = pair.system.thread(other, 10);
    pair.system.slice(100);
    for in_bytes in [false, true] {
        both_paths(&pair.system, |m| {
            m.call(pair.client, Call::sleep(m.now() + 1_000_000));
            let channel = m.receive_handle(pair.channel);
            m.call(server, Call::receive(channel));
            m.run(client);
            m.advance(50);
            let send = Call::send(m.handle(link), &[]).room(room, 8);
            m.call(client, send);
            let token = m.answer(server).unwrap().token();
            let reply = if in_bytes {
                Call::reply_bytes(token, 0x2000_0000, 8)
            } else {
                Call::reply(token, &[])
            };
            m.call(server, reply);
            m.advance(200);
            assert_eq!(m.current(), server, "the turn was the client's");
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_a_turn_that_begins_when_a_server_waits_ends() {
    let mut pair = Pair::new();
    let server = pair.server;
    let process = pair.system.process();
    let client = pair.system.round_robin_thread(process, 10);
    let link = pair.system.connection(process, pair.channel, 3);
    let other = pair.system.process();
    let rival = pair.system.thread(other, 10);
    pair.system.slice(100);
    both_paths(&pair.system, |m| {
        m.call(pair.client, Call::sleep(m.now() + 1_000_000));
        m.call(rival, Call::sleep(m.now() + 500));
        let channel = m.receive_handle(pair.channel);
        m.call(server, Call::receive(channel));
        let send = Call::send(m.handle(link), &[]);
        m.call(client, send);
        let token = m.answer(server).unwrap().token();
        m.call(server, Call::reply(token, &[]));
        m.advance(500);
        m.call(server, Call::receive(channel));
        assert_eq!(m.current(), client);
        m.advance(99);
        assert_eq!(m.current(), client);
        m.advance(1);
        assert_eq!(m.current(), rival);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_a_turn_ends_even_if_it_is_preempted_again_and_again() {
    let mut system = System::new();
    let process = system.process();
    let first = system.round_robin_thread(process, 10);
    let second = system.round_robin_thread(process, 10);
    let ticker = system.thread(process, 20);
    system.slice(100);
    both_paths(&system, |m| {
        m.call(ticker, Call::sleep(m.now() + 1));
        m.call(first, Call::sleep(m.now() + 1));
        m.call(second, Call::sleep(m.now() + 1));
        m.advance(1);
        m.call(ticker, Call::sleep(m.now() + 1));
        let mut ran = [0; 2];
        for _ in 0..50 {
            m.advance(30);
            m.call(ticker, Call::sleep(m.now() + 30));
            ran[m.current().0] += 1;
        }
        assert!(ran.iter().all(|times| (20..=30).contains(times)), "{ran:?}");
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_a_more_urgent_threads_turn_is_a_whole_one() {
    let mut system = System::new();
    let process = system.process();
    for _ in 0..2 {
        system.round_robin_thread(process, 10);
    }
    let urgent = [20, 20].map(|priority| system.round_robin_thread(process, priority));
    system.slice(100);
    both_paths(&system, |m| {
        let now = m.now();
        for thread in urgent {
            m.call(thread, Call::sleep(now + 50));
        }
        m.advance(50);
        let first = m.current();
        assert!(urgent.contains(&first));
        m.advance(99);
        assert_eq!(m.current(), first);
        m.advance(1);
        assert_ne!(m.current(), first);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_a_turn_that_ends_as_a_more_urgent_thread_wakes_is_over() {
    let mut system = System::new();
    let process = system.process();
    let first = system.round_robin_thread(process, 10);
    let second = system.round_robin_thread(process, 10);
    let ticker = system.thread(process, 20);
    system.slice(100);
    both_paths(&system, |m| {
        m.call(ticker, Call::sleep(m.now() + 100));
        let running = m.current();
        let other = if running == first { second } else { first };
        m.advance(100);
        m.call(ticker, Call::sleep(m.now() + 1000));
        assert_eq!(m.current(), other);
    });
}

#[test]
fn rule_15_a_yield_runs_through_all_threads_of_a_priority_and_no_others() {
    let mut system = System::new();
    let process = system.process();
    let threads: Vec<_> = (0..3).map(|_| system.thread(process, 10)).collect();
    let low = system.thread(process, 9);
    both_paths(&system, |m| {
        let mut counts = [0; 3];
        for _ in 0..300 {
            let current = m.current();
            counts[current.0] += 1;
            m.call(current, Call::give_way());
        }
        assert_eq!(counts, [100; 3]);
        m.call(threads[1], Call::sleep(m.now() + 10));
        for expected in [2, 0, 2, 0] {
            assert_eq!(m.current(), threads[expected]);
            m.call(threads[expected], Call::give_way());
        }
        m.call(threads[2], Call::sleep(m.now() + 10));
        m.call(threads[0], Call::give_way());
        assert_eq!(m.current(), threads[0], "alone, it goes on");
        assert_eq!(m.state(low), State::Ready);
    });
}

#[test]
fn rule_16_a_server_runs_at_its_clients_priority_upwards() {
    let mut pair = Pair::new();
    let (client, link) = pair.another_client(20, 8);
    both_paths(&pair.system, |m| {
        m.call(client, Call::sleep(m.now() + 10));
        pair.receive(m);
        m.advance(10);
        let call = Call::send(m.handle(link), &[]);
        m.call(client, call);
        assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 20));
        let token = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply(token, &[]));
        assert_eq!(
            (m.current(), m.priority(pair.server)),
            (client, 10),
            "it ends with the reply"
        );
    });
}

#[test]
fn rule_16_a_server_runs_at_its_clients_priority_downwards_too() {
    let mut pair = Pair::new();
    let (client, link) = pair.another_client(4, 8);
    both_paths(&pair.system, |m| {
        let later = m.now() + 10;
        m.call(pair.client, Call::sleep(later));
        pair.receive(m);
        let call = Call::send(m.handle(link), &[]);
        m.call(client, call);
        assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 4));
        m.advance_to(later);
        assert_eq!(
            m.current(),
            pair.client,
            "which is more urgent than the server's work"
        );
    });
}

#[test]
fn rule_16_a_more_urgent_client_that_queues_raises_the_server_at_once() {
    let mut pair = Pair::new();
    let (client, link) = pair.another_client(20, 8);
    both_paths(&pair.system, |m| {
        m.call(client, Call::sleep(m.now() + 10));
        let token = pair.exchange(m, &[]);
        m.advance(10);
        assert_eq!(m.current(), client);
        let call = Call::send(m.handle(link), &[]);
        m.call(client, call);
        assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 20));
        // It goes on being lent while that client waits, and while it is served.
        m.call(pair.server, Call::reply(token, &[]));
        assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 20));
        pair.receive(m);
        let token = m.answer(pair.server).unwrap().token();
        assert_eq!(m.priority(pair.server), 20);
        m.call(pair.server, Call::reply(token, &[]));
        assert_eq!(m.priority(pair.server), 10);
    });
}

#[test]
fn rule_16_it_ends_when_the_urgent_client_leaves() {
    let mut pair = Pair::new();
    let (client, link) = pair.another_client(20, 8);
    both_paths(&pair.system, |m| {
        m.call(client, Call::sleep(m.now() + 10));
        pair.exchange(m, &[]);
        m.advance(10);
        let call = Call::send(m.handle(link), &[]).deadline(m.now() + 10);
        m.call(client, call);
        assert_eq!(m.priority(pair.server), 20);
        m.advance(10);
        assert_eq!((m.current(), m.priority(pair.server)), (client, 10));
    });
}

/// A chain: the first at 5 serves a channel, the second sends to it and serves one, and so on; an
/// urgent thread at 25 sends to the last.
fn chain(
    length: usize,
) -> (
    System,
    Vec<ThreadId>,
    Vec<riposte_model::ChannelId>,
    Vec<Connection>,
) {
    let mut system = System::new();
    let mut threads = Vec::new();
    let mut channels = Vec::new();
    let mut links = Vec::new();
    for index in 0..=length {
        let process = system.process();
        let priority = if index == length { 25 } else { 5 };
        threads.push(system.thread(process, priority));
        if let Some(before) = channels.last() {
            links.push(system.connection(process, *before, index as u32));
        }
        channels.push(system.channel(process));
    }
    (system, threads, channels, links)
}

#[test]
fn rule_16_priority_follows_chains_of_servers_that_are_reply_blocked() {
    let (system, threads, channels, links) = chain(5);
    both_paths(&system, |m| {
        let urgent = threads[5];
        m.call(urgent, Call::sleep(m.now() + 10));
        for index in 0..5 {
            let call = Call::receive(m.receive_handle(channels[index]));
            m.call(threads[index], call);
        }
        m.advance(10);
        let call = Call::send(m.handle(links[4]), &[]);
        m.call(urgent, call);
        let mut tokens = Vec::new();
        for index in (0..5).rev() {
            assert_eq!(
                (m.current(), m.priority(threads[index])),
                (threads[index], 25)
            );
            tokens.push(m.answer(threads[index]).unwrap().token());
            if index > 0 {
                let call = Call::send(m.handle(links[index - 1]), &[]);
                m.call(threads[index], call);
            }
        }
        for (index, token) in tokens.into_iter().rev().enumerate() {
            let call = Call::reply_receive(m.receive_handle(channels[index]), token, &[]);
            m.call(threads[index], call);
            assert_eq!(m.current(), threads[index + 1]);
        }
    });
}

#[test]
fn rule_16_priority_follows_chains_that_exist_already_and_leaves_them_again() {
    let (system, threads, channels, links) = chain(5);
    both_paths(&system, |m| {
        let urgent = threads[5];
        m.call(urgent, Call::sleep(m.now() + 10));
        // Everyone receives a message first, so that each is bound to its channel and serves nobody.
        for (thread, channel) in threads.iter().zip(&channels).take(5) {
            let call = Call::receive(m.receive_handle(*channel));
            m.call(*thread, call.deadline(m.now() + 5));
        }
        m.advance(5);
        for index in 1..5 {
            let call = Call::send(m.handle(links[index - 1]), &[]);
            m.call(threads[index], call);
            assert_eq!(m.state(threads[index]), State::SendBlocked);
        }
        m.advance(5);
        let deadline = m.now() + 10;
        let call = Call::send(m.handle(links[4]), &[]).deadline(deadline);
        m.call(urgent, call);
        assert_eq!((m.current(), m.priority(threads[0])), (threads[0], 25));
        m.advance(10);
        let priorities = threads.iter().map(|thread| m.priority(*thread));
        assert_eq!(priorities.collect::<Vec<_>>(), [5, 5, 5, 5, 5, 25]);
    });
}

#[test]
fn rule_16_a_channel_can_opt_out() {
    let mut pair = Pair::new();
    pair.system.fixed_priority(pair.channel, 6);
    let (low, low_link) = pair.another_client(3, 8);
    both_paths(&pair.system, |m| {
        let later = m.now() + 100;
        m.call(pair.client, Call::sleep(later));
        pair.receive(m);
        for _ in 0..3 {
            let call = Call::send(m.handle(low_link), &[]);
            m.call(low, call);
            assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 6));
            let token = m.answer(pair.server).unwrap().token();
            let call = Call::reply_receive(m.receive_handle(pair.channel), token, &[]);
            m.call(pair.server, call);
        }
        m.advance_to(later);
        pair.send(m, &[]);
        assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 6));
    });
}

#[test]
fn rule_16_the_priority_of_a_server_that_waits_is_not_that_of_its_last_client() {
    let mut pair = Pair::new();
    let (client, link) = pair.another_client(20, 8);
    both_paths(&pair.system, |m| {
        m.call(client, Call::sleep(m.now() + 10));
        pair.receive(m);
        m.advance(10);
        let call = Call::send(m.handle(link), &[]);
        m.call(client, call);
        let token = m.answer(pair.server).unwrap().token();
        let wait = Call::reply_receive(m.receive_handle(pair.channel), token, &[]);
        m.call(pair.server, wait);
        let later = m.now() + 10;
        m.call(client, Call::sleep(later));
        pair.send(m, &[]);
        assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 10));
    });
}
