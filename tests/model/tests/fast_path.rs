//! The traps that the fast path has to keep clear of.

use riposte_abi::Error;
use riposte_kernel::State;
use riposte_model::{Call, Pair, System, Token, both_paths};

const SERVER_RAM: u32 = 0x2000_0000;
const CLIENT_RAM: u32 = 0x2001_0000;
const URGENT_RAM: u32 = 0x2002_0000;

#[test]
fn words_back_and_forth_stay_in_registers_after_the_first_message() {
    let pair = Pair::new();
    let mut m = pair.system.start(true);
    let mut token = pair.exchange(&mut m, &[0]);
    let before = m.calls_in_registers();
    for word in 0..50 {
        let call = Call::reply_receive(m.receive_handle(pair.channel), token, &[word]);
        m.call(pair.server, call);
        pair.send(&mut m, &[word]);
        token = m.answer(pair.server).unwrap().token();
    }
    assert_eq!(m.calls_in_registers() - before, 100);
}

#[test]
fn bytes_go_back_and_forth() {
    let pair = Pair::new();
    let mut m = pair.system.start(true);
    let receive = Call::receive(m.receive_handle(pair.channel)).room(SERVER_RAM, 64);
    m.call(pair.server, receive);
    for _ in 0..50 {
        let send = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, 32).room(CLIENT_RAM, 64);
        m.call(pair.client, send);
        let token = m.answer(pair.server).unwrap().token();
        let channel = m.receive_handle(pair.channel);
        let reply = Call::reply_bytes_receive(channel, token, SERVER_RAM, 32).room(SERVER_RAM, 64);
        m.call(pair.server, reply);
    }
}

#[test]
fn a_server_replies_and_waits_by_two_calls() {
    let pair = Pair::new();
    let mut m = pair.system.start(true);
    let receive = Call::receive(m.receive_handle(pair.channel)).room(SERVER_RAM, 64);
    m.call(pair.server, receive);
    for turn in 0..50_u32 {
        m.host.poke(SERVER_RAM, &[turn as u8; 32]);
        let send = Call::send(m.handle(pair.link), &[turn]).room(CLIENT_RAM, 64);
        m.call(pair.client, send);
        let token = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply_bytes(token, SERVER_RAM, 32));
        assert_eq!(m.answer(pair.server).unwrap().word(), 32);
        m.call(pair.server, receive);
        assert_eq!(m.answer(pair.client).unwrap().bytes(), Some((32, 32)));
        assert_eq!(m.host.peek(CLIENT_RAM, 32), [turn as u8; 32]);
    }
}

#[test]
fn an_answer_makes_the_client_ready_before_the_server_waits() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        for in_bytes in [false, true] {
            m.call(pair.server, Call::receive(channel));
            let send = Call::send(m.handle(pair.link), &[]).room(CLIENT_RAM, 8);
            m.call(pair.client, send);
            let token = m.answer(pair.server).unwrap().token();
            let reply = if in_bytes {
                Call::reply_bytes(token, SERVER_RAM, 8)
            } else {
                Call::reply(token, &[1, 2])
            };
            m.call(pair.server, reply);
            assert_eq!(m.current(), pair.server);
            assert_eq!(m.state(pair.client), State::Ready);
            // The server does something else than wait for a message.
            m.call(pair.server, Call::sleep(m.now() + 10));
            assert_eq!(m.current(), pair.client);
            assert_eq!(m.answer(pair.client).unwrap().error(), None);
            m.call(pair.client, Call::sleep(m.now() + 10));
            m.advance(10);
        }
    });
}

#[test]
fn a_client_that_is_more_urgent_than_its_server_runs_as_soon_as_it_is_answered() {
    let mut pair = Pair::new();
    let (urgent, link) = pair.another_client(20, 8);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        for in_bytes in [false, true] {
            m.call(urgent, Call::sleep(m.now() + 10));
            m.call(pair.server, Call::receive(channel));
            m.advance(10);
            let send = Call::send(m.handle(link), &[]).room(URGENT_RAM, 8);
            m.call(urgent, send);
            let token = m.answer(pair.server).unwrap().token();
            assert_eq!(m.priority(pair.server), 20);
            let reply = if in_bytes {
                Call::reply_bytes(token, SERVER_RAM, 8)
            } else {
                Call::reply(token, &[1, 2])
            };
            m.call(pair.server, reply);
            assert_eq!(m.current(), urgent);
            assert_eq!(m.priority(pair.server), 10);
            m.call(urgent, Call::sleep(m.now() + 10));
            // It goes on before others of its priority, as it has not given way.
            assert_eq!(m.current(), pair.server);
            m.advance(10);
        }
    });
}

#[test]
fn an_urgent_client_that_is_answered_goes_behind_who_waits_at_its_priority() {
    let mut pair = Pair::new();
    let (urgent, link) = pair.another_client(20, 8);
    let (peer, _) = pair.another_client(20, 9);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        m.call(urgent, Call::sleep(m.now() + 10));
        m.call(peer, Call::sleep(m.now() + 20));
        m.call(pair.server, Call::receive(channel));
        m.advance(10);
        let send = Call::send(m.handle(link), &[]);
        m.call(urgent, send);
        let token = m.answer(pair.server).unwrap().token();
        m.advance(10);
        assert_eq!(m.current(), pair.server);
        m.call(pair.server, Call::reply(token, &[]));
        assert_eq!(m.current(), peer);
        m.call(peer, Call::sleep(m.now() + 10));
        assert_eq!(m.current(), urgent);
    });
}

#[test]
fn a_server_that_waits_leaves_the_processor_to_the_most_urgent_thread_in_order() {
    let mut pair = Pair::new();
    let others: Vec<_> = [10, 4, 7]
        .map(|priority| pair.another_client(priority, 20).0)
        .into();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        m.call(pair.server, Call::receive(channel));
        // More than one thread is as urgent as the client, then the client alone, then nobody.
        for (turn, next) in [others[0], pair.client].into_iter().enumerate() {
            pair.send(m, &[]);
            let token = m.answer(pair.server).unwrap().token();
            m.call(pair.server, Call::reply(token, &[]));
            m.call(pair.server, Call::receive(channel));
            assert_eq!(m.current(), next);
            if turn == 0 {
                m.call(others[0], Call::sleep(m.now() + 10));
            }
        }
        pair.send(m, &[]);
        let token = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply(token, &[]));
        m.call(pair.server, Call::sleep(m.now() + 5));
        m.call(pair.client, Call::sleep(m.now() + 20));
        m.advance(5);
        m.call(pair.server, Call::receive(channel));
        assert_eq!(m.current(), others[2]);
    });
}

#[test]
fn an_answer_that_the_short_way_cannot_give_is_given_or_refused_the_long_way() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        let ask = |m: &mut riposte_model::Machine, room| {
            m.call(pair.server, Call::receive(channel));
            let send = Call::send(m.handle(pair.link), &[]).room(CLIENT_RAM, room);
            m.call(pair.client, send);
            m.answer(pair.server).unwrap().token()
        };
        // The server's bytes are not its own: it still owes the answer.
        let token = ask(m, 64);
        let foreign = Call::reply_bytes(token, CLIENT_RAM, 8);
        assert_eq!(m.refused(pair.server, foreign), Error::BadAddress);
        // More than is copied in one go, with a status.
        let long = Call::reply_bytes(token, SERVER_RAM, 2000).status(7);
        m.call(pair.server, long);
        assert_eq!(m.answer(pair.server).unwrap().word(), 64);
        let answer = m.answer(pair.client).unwrap();
        assert_eq!((answer.status(), answer.bytes()), (7, Some((64, 2000))));
        // Twice.
        let again = Call::reply_bytes(token, SERVER_RAM, 8);
        assert_eq!(m.refused(pair.server, again), Error::NoSuchClient);
        // The room is not the client's: its fault.
        let token = ask(m, 0x1_0000);
        m.call(pair.server, Call::reply_bytes(token, SERVER_RAM, 8));
        assert_eq!(m.answer(pair.server).unwrap().word(), 0);
        let answer = m.answer(pair.client).unwrap();
        assert_eq!(answer.error(), Some(Error::BadAddress));
    });
}

#[test]
fn words_and_bytes_in_any_mixture_reach_the_other_side() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke(CLIENT_RAM, b"question");
        m.host.poke(SERVER_RAM + 64, b"answer");
        let channel = m.receive_handle(pair.channel);
        m.call(pair.server, Call::receive(channel).room(SERVER_RAM, 16));
        for mixture in 0..16_u32 {
            let handle = m.handle(pair.link);
            let in_bytes = mixture & 1 != 0;
            let call = if in_bytes {
                Call::send_bytes(handle, CLIENT_RAM, 8)
            } else {
                Call::send(handle, &[mixture])
            };
            m.call(pair.client, call.room(CLIENT_RAM + 64, 16));
            let got = m.answer(pair.server).unwrap();
            let expected = if in_bytes { Some((8, 8)) } else { None };
            assert_eq!(got.bytes(), expected);
            let token = got.token();
            let call = match mixture >> 1 & 3 {
                0 => Call::reply_bytes_receive(channel, token, SERVER_RAM + 64, 6),
                1 => Call::reply_receive(channel, token, &[mixture]).status(0),
                2 => Call::reply_error_receive(channel, token, 5),
                _ => Call::reply_receive(channel, token, &[mixture, 1]),
            };
            m.call(pair.server, call.room(SERVER_RAM, 16));
            let back = m.answer(pair.client).unwrap();
            assert_eq!(back.error(), None);
            assert_eq!(back.accepted(), if in_bytes { 8 } else { back.accepted() });
            let in_bytes = mixture >> 1 & 3 == 0;
            assert_eq!(back.bytes(), in_bytes.then_some((6, 6)));
        }
    });
}

#[test]
fn trap_2_a_wake_up_without_a_message_leaves_no_token_that_works() {
    let mut pair = Pair::new();
    pair.system.notify_client_died(pair.channel);
    let (dying, link) = pair.another_client(10, 8);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        let token = pair.exchange(m, &[]);
        m.call(pair.server, Call::reply_receive(channel, token, &[]));
        // Woken by a notice while it is the waiting receiver.
        m.fault(dying);
        let got = m.answer(pair.server).unwrap();
        assert_eq!((got.notice(), got.badge()), (Some(1), 8));
        let stale = Call::reply_receive(channel, token, &[]);
        assert_eq!(m.refused(pair.server, stale), Error::NoSuchClient);
        // Woken by a deadline.
        m.call(pair.server, Call::receive(channel).deadline(m.now() + 5));
        m.call(pair.client, Call::sleep(m.now() + 10));
        m.advance(5);
        assert_eq!(
            m.answer(pair.server).unwrap().error(),
            Some(Error::TimedOut)
        );
        assert_eq!(m.refused(pair.server, stale), Error::NoSuchClient);
        let _ = link;
    });
}

#[test]
fn trap_2_a_token_does_not_resume_a_client_that_computes_or_waits_for_another() {
    let mut pair = Pair::new();
    let far = pair.system.process();
    let other = pair.system.thread(far, 10);
    let elsewhere = pair.system.channel(far);
    let link = pair.system.connection(pair.client_process, elsewhere, 1);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        let token = pair.exchange(m, &[]);
        m.call(pair.server, Call::reply(token, &[]));
        let again = Call::reply_receive(channel, token, &[]);
        assert_eq!(m.refused(pair.server, again), Error::NoSuchClient);
        let receive = Call::receive(m.receive_handle(elsewhere));
        m.call(other, receive);
        let send = Call::send(m.handle(link), &[]);
        m.call(pair.client, send);
        let theirs = m.answer(other).unwrap().token();
        let stolen = Call::reply_receive(channel, theirs, &[]);
        assert_eq!(m.refused(pair.server, stolen), Error::NoSuchClient);
        assert_eq!(m.refused(pair.server, again), Error::NoSuchClient);
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
    });
}

#[test]
fn trap_3_a_waiting_servers_old_priority_does_not_last_when_it_wakes() {
    let mut pair = Pair::new();
    let (urgent, link) = pair.another_client(25, 8);
    pair.system.notify_client_died(pair.channel);
    let (dying, _) = pair.another_client(4, 9);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        m.call(urgent, Call::sleep(m.now() + 10));
        m.call(pair.server, Call::receive(channel));
        m.advance(10);
        let call = Call::send(m.handle(link), &[]);
        m.call(urgent, call);
        let token = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply_receive(channel, token, &[]));
        m.call(urgent, Call::sleep(m.now() + 1000));
        m.call(pair.client, Call::sleep(m.now() + 1000));
        // It waits with 25 behind it; the notice finds it at its own.
        m.fault(dying);
        assert_eq!(m.answer(pair.server).unwrap().notice(), Some(1));
        assert_eq!(m.priority(pair.server), 10);
    });
}

#[test]
fn trap_4_every_yield_reaches_the_next_thread_with_messages_in_between() {
    let mut pair = Pair::new();
    let others: Vec<_> = (0..3).map(|n| pair.another_client(10, 20 + n).0).collect();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        m.call(pair.server, Call::receive(channel));
        for _ in 0..20 {
            for thread in others.iter().chain([&pair.client]) {
                m.run(*thread);
            }
            pair.send(m, &[]);
            let token = m.answer(pair.server).unwrap().token();
            let mut seen = Vec::new();
            for _ in 0..4 {
                seen.push(m.current());
                let current = m.current();
                m.call(current, Call::give_way());
            }
            seen.sort();
            let mut expected = others.clone();
            expected.push(pair.server);
            expected.sort();
            assert_eq!(seen, expected);
            m.call(pair.server, Call::reply_receive(channel, token, &[]));
        }
    });
}

#[test]
fn trap_8_tokens_stay_different_when_the_counter_wraps() {
    let mut fixed = Pair::new();
    fixed.system.fixed_priority(fixed.channel, 12);
    for pair in [Pair::new(), fixed] {
        tokens_stay_different(&pair);
    }
}

fn tokens_stay_different(pair: &Pair) {
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        let first = pair.exchange(m, &[]);
        m.call(pair.server, Call::reply_receive(channel, first, &[]));
        m.thread(pair.client).set_generation(u32::MAX - 2);
        let mut tokens: Vec<Token> = vec![first];
        for word in 0..6 {
            pair.send(m, &[word]);
            let token = m.answer(pair.server).unwrap().token();
            for old in &tokens {
                assert_ne!(*old, token);
                let call = Call::reply_receive(channel, *old, &[]);
                assert_eq!(m.refused(pair.server, call), Error::NoSuchClient);
            }
            tokens.push(token);
            m.call(pair.server, Call::reply_receive(channel, token, &[word]));
            assert_eq!(m.answer(pair.client).unwrap().word(), word);
        }
        // A whole turn of the counter later, the same low part is another token.
        m.thread(pair.client).set_generation(first.generation - 1);
        pair.send(m, &[]);
        let token = m.answer(pair.server).unwrap().token();
        assert_eq!(token.generation, first.generation);
        assert_ne!(token.tag, first.tag);
        let old = Call::reply_receive(channel, first, &[]);
        assert_eq!(m.refused(pair.server, old), Error::NoSuchClient);
    });
}

#[test]
fn a_client_with_a_deadline_is_answered_the_long_way_and_its_deadline_ends() {
    let pair = Pair::new();
    for receive_first in [true, false] {
        both_paths(&pair.system, |m| {
            let channel = m.receive_handle(pair.channel);
            let call = Call::send(m.handle(pair.link), &[1]).deadline(m.now() + 10);
            if receive_first {
                pair.receive(m);
                m.call(pair.client, call);
            } else {
                m.call(pair.client, call);
                pair.receive(m);
            }
            let token = m.answer(pair.server).unwrap().token();
            m.call(pair.server, Call::reply_receive(channel, token, &[2]));
            assert_eq!(m.answer(pair.client).unwrap().word(), 2);
            m.advance(20);
            assert_eq!(m.answer(pair.client).unwrap().word(), 2);
            assert_eq!(m.state(pair.server), State::ReceiveBlocked);
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn what_a_client_asked_for_once_does_not_last_for_its_next_message() {
    let mut pair = Pair::new();
    let giver = pair.system.process();
    pair.system.thread(giver, 9);
    let gift = pair.system.channel(giver);
    let own = pair.system.transferable(pair.server_process, gift, 5);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[]).accepting_handle();
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply_receive(channel, token, &[]));
        pair.send(m, &[]);
        let token = m.answer(pair.server).unwrap().token();
        let given = Call::reply_handle(token, &[0; 4], m.handle(own));
        assert_eq!(m.refused(pair.server, given), Error::NotPermitted);
    });
}

#[test]
fn a_server_with_several_clients_is_no_waiting_receiver_while_one_is_unanswered() {
    let mut pair = Pair::new();
    let (other, link) = pair.another_client(10, 8);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        let first = pair.exchange(m, &[]);
        m.call(pair.server, Call::receive(channel));
        assert!(m.channel(pair.channel).waiting_receiver().is_none());
        let call = Call::send(m.handle(link), &[]);
        m.call(other, call);
        let second = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply_receive(channel, second, &[2]));
        assert_eq!(m.answer(other).unwrap().word(), 2);
        assert!(m.channel(pair.channel).waiting_receiver().is_none());
        let call = Call::send(m.handle(link), &[]);
        m.call(other, call);
        m.call(pair.server, Call::reply_receive(channel, first, &[1]));
        assert_eq!(m.answer(pair.client).unwrap().word(), 1);
    });
}

#[test]
fn a_server_of_fixed_priority_keeps_clients_and_answers_them_in_any_order() {
    let mut pair = Pair::new();
    pair.system.fixed_priority(pair.channel, 12);
    let (other, link) = pair.another_client(7, 8);
    both_paths(&pair.system, |m| {
        m.call(pair.client, Call::sleep(m.now() + 5));
        pair.receive(m);
        let channel = m.receive_handle(pair.channel);
        for turn in 0..6 {
            m.call(other, Call::send(m.handle(link), &[turn, 1]));
            let got = m.answer(pair.server).unwrap();
            assert_eq!((got.badge(), got.word()), (8, turn));
            assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 12));
            let kept = got.token();
            m.call(pair.server, Call::receive(channel));
            assert_eq!(m.state(other), State::ReplyBlocked);
            m.advance(5);
            pair.send(m, &[turn, 2, 3]);
            let second = m.answer(pair.server).unwrap().token();
            assert_eq!(m.priority(pair.server), 12);
            // Which of them goes on first makes no difference.
            let (first, last) = if turn % 2 == 0 {
                (kept, second)
            } else {
                (second, kept)
            };
            m.call(pair.server, Call::reply(first, &[turn + 10]));
            assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 12));
            assert_eq!(
                m.refused(pair.server, Call::reply(first, &[])),
                Error::NoSuchClient
            );
            m.call(
                pair.server,
                Call::reply_receive(channel, last, &[turn + 10]),
            );
            for client in [other, pair.client] {
                assert_eq!(m.answer(client).unwrap().word(), turn + 10);
                assert_eq!(m.state(client), State::Ready);
            }
            assert_eq!(m.state(pair.server), State::ReceiveBlocked);
            // It is the more urgent client that goes on; and then the other one has its turn.
            assert_eq!(m.current(), pair.client);
            m.call(pair.client, Call::sleep(m.now() + 5));
            assert_eq!(m.current(), other);
        }
    });
}

#[test]
fn a_server_that_keeps_an_urgent_client_of_another_channel_serves_those_of_a_fixed_priority_at_its_priority()
 {
    let mut pair = Pair::new();
    pair.system.fixed_priority(pair.channel, 12);
    let lending = pair.system.channel(pair.server_process);
    let urgent = pair.system.process();
    let link = pair.system.connection(urgent, lending, 3);
    let urgent = pair.system.thread(urgent, 20);
    both_paths(&pair.system, |m| {
        m.call(urgent, Call::sleep(m.now() + 5));
        m.receive(pair.server, lending);
        m.advance(5);
        m.send(urgent, link, &[1]);
        let kept = m.answer(pair.server).unwrap().token();
        assert_eq!(m.priority(pair.server), 20);
        let token = pair.exchange(m, &[2]);
        assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 20));
        m.call(pair.server, Call::reply(token, &[]));
        assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 20));
        let token = pair.exchange(m, &[3]);
        m.call(pair.server, Call::reply(kept, &[]));
        assert_eq!((m.current(), m.priority(pair.server)), (urgent, 12));
        m.call(urgent, Call::sleep(m.now() + 5));
        let channel = m.receive_handle(pair.channel);
        m.call(pair.server, Call::reply_receive(channel, token, &[]));
        pair.send(m, &[4]);
        assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 12));
    });
}

#[test]
fn a_server_that_changes_its_channel_takes_the_long_way_once() {
    let mut system = System::new();
    let servers = system.process();
    let clients = system.process();
    let server = system.thread(servers, 10);
    let client = system.thread(clients, 10);
    let channels = [system.channel(servers), system.channel(servers)];
    let links = channels.map(|channel| system.connection(clients, channel, channel.0 as u32));
    both_paths(&system, |m| {
        let handles = channels.map(|channel| m.receive_handle(channel));
        m.call(server, Call::receive(handles[0]));
        for turn in 0..10 {
            let (here, next) = (turn % 2, (turn + 1) % 2);
            let call = Call::send(m.handle(links[here]), &[turn as u32]);
            m.call(client, call);
            let got = m.answer(server).unwrap();
            assert_eq!((got.badge(), got.word()), (here as u32, turn as u32));
            m.call(server, Call::reply_receive(handles[next], got.token(), &[]));
            assert!(m.channel(channels[here]).waiting_receiver().is_none());
        }
    });
}
