//! Who may answer whom, and whom a server may wait for: rules 6 and 9.

use riposte_abi::Error;
use riposte_kernel::{OnEnd, State};
use riposte_model::{Call, Pair, System, Token, both_paths};

#[test]
fn rule_06_a_token_is_answered_exactly_once() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        m.call(pair.server, Call::reply(token, &[1]));
        let channel = m.receive_handle(pair.channel);
        for call in [
            Call::reply(token, &[2]),
            Call::reply_error(token, 2),
            Call::reply_receive(channel, token, &[2]),
            Call::reply_bytes(token, 0, 0),
        ] {
            assert_eq!(m.refused(pair.server, call), Error::NoSuchClient);
        }
        assert_eq!(m.answer(pair.client).unwrap().word(), 1);
    });
}

#[test]
fn rule_06_an_old_token_does_not_answer_the_next_message_of_the_same_client() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let old = pair.exchange(m, &[]);
        m.call(pair.server, Call::reply(old, &[]));
        let new = pair.exchange(m, &[]);
        let channel = m.receive_handle(pair.channel);
        for call in [
            Call::reply(old, &[2]),
            Call::reply_receive(channel, old, &[2]),
        ] {
            assert_eq!(m.refused(pair.server, call), Error::NoSuchClient);
        }
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
        m.call(pair.server, Call::reply(new, &[3]));
        assert_eq!(m.answer(pair.client).unwrap().word(), 3);
    });
}

#[test]
fn rule_06_a_forged_token_answers_nobody() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        let channel = m.receive_handle(pair.channel);
        let forged = [
            (0x100, 0),
            (0xFF00, 0),
            (0x1_0000, 0),
            (0, 1),
            (0, u32::MAX),
            (0, 0x8000_0000),
        ];
        for (tag, generation) in forged {
            let token = Token {
                tag: token.tag ^ tag,
                generation: token.generation ^ generation,
            };
            for call in [
                Call::reply(token, &[]),
                Call::reply_receive(channel, token, &[]),
            ] {
                assert_eq!(
                    m.refused(pair.server, call),
                    Error::NoSuchClient,
                    "{token:?}"
                );
                assert_eq!(m.state(pair.client), State::ReplyBlocked);
            }
        }
    });
}

#[test]
fn rule_06_the_right_token_in_another_process_answers_nobody() {
    let mut pair = Pair::new();
    let thief = pair.system.process();
    let other = pair.system.thread(thief, 10);
    let own = pair.system.channel(thief);
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        for call in [
            Call::reply(token, &[]),
            Call::reply_receive(m.receive_handle(own), token, &[]),
            Call::read(token, 0, 0, 0),
        ] {
            assert_eq!(m.refused(other, call), Error::NoSuchClient);
        }
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
    });
}

#[test]
fn rule_06_a_reply_to_a_dead_client_is_an_error_to_the_replier() {
    let mut pair = Pair::new();
    let second = pair.system.thread(pair.client_process, 10);
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        m.fault(second);
        assert_eq!(m.state(pair.client), State::Stopped);
        assert_eq!(
            m.refused(pair.server, Call::reply(token, &[])),
            Error::NoSuchClient
        );
    });
}

#[test]
fn rule_06_clients_are_answered_in_any_order() {
    let mut pair = Pair::new();
    let others: Vec<_> = (0..3).map(|n| pair.another_client(10, 20 + n)).collect();
    both_paths(&pair.system, |m| {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let mut clients = vec![(pair.client, pair.link)];
            clients.extend(&others);
            let mut tokens = Vec::new();
            for (index, (client, link)) in clients.iter().enumerate() {
                let call = Call::send(m.handle(*link), &[index as u32]);
                m.call(*client, call);
                pair.receive(m);
                tokens.push(m.answer(pair.server).unwrap().token());
            }
            for index in order {
                m.call(pair.server, Call::reply(tokens[index], &[index as u32]));
                let back = m.answer(clients[index].0).unwrap();
                assert_eq!(back.word(), index as u32);
            }
        }
    });
}

#[test]
fn rule_06_any_thread_of_the_receiving_process_may_reply() {
    let mut system = System::new();
    let servers = system.process();
    let clients = system.process();
    let first = system.thread(servers, 10);
    let second = system.thread(servers, 10);
    let client = system.thread(clients, 10);
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 1);
    both_paths(&system, |m| {
        let channel = m.receive_handle(channel);
        m.call(first, Call::receive(channel));
        let call = Call::send(m.handle(link), &[4]);
        m.call(client, call);
        let token = m.answer(first).unwrap().token();
        m.call(second, Call::reply_receive(channel, token, &[5]));
        assert_eq!(m.answer(client).unwrap().word(), 5);
        assert_eq!(m.state(second), State::ReceiveBlocked);
        // The one that received it has nothing left to answer, and can wait as well.
        m.call(first, Call::receive(channel));
        for word in 0..4 {
            let call = Call::send(m.handle(link), &[word]);
            m.call(client, call);
            let server = [second, first][word as usize % 2];
            let got = m.answer(server).unwrap();
            assert_eq!(got.word(), word, "the one that waits longest");
            let call = Call::reply_receive(channel, got.token(), &[]);
            m.call(server, call);
        }
    });
}

#[test]
fn rule_09_only_from_a_named_connection() {
    let mut pair = Pair::new();
    let (other, link) = pair.another_client(10, 8);
    for waiting_first in [true, false] {
        both_paths(&pair.system, |m| {
            let channel = m.receive_handle(pair.channel);
            let (from_8, from_7) = (m.handle(link), m.handle(pair.link));
            let receive = Call::receive(channel).from_badge(8);
            if waiting_first {
                m.call(pair.server, receive);
                m.call(pair.client, Call::send(from_7, &[70]));
                assert_eq!(m.state(pair.server), State::ReceiveBlocked);
                m.call(other, Call::send(from_8, &[80]));
            } else {
                m.call(pair.client, Call::send(from_7, &[70]));
                m.call(other, Call::send(from_8, &[80]));
                m.call(pair.server, receive);
            }
            let got = m.answer(pair.server).unwrap();
            assert_eq!((got.badge(), got.word()), (8, 80));
            assert_eq!(m.state(pair.client), State::SendBlocked);
            m.call(pair.server, Call::reply_receive(channel, got.token(), &[]));
            assert_eq!(m.answer(pair.server).unwrap().word(), 70);
        });
    }
}

#[test]
fn rule_09_only_from_the_client_that_had_a_token() {
    let mut pair = Pair::new();
    let (other, link) = pair.another_client(10, 8);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        let token = pair.exchange(m, &[1]);
        m.call(pair.server, Call::reply(token, &[]));
        m.call(pair.server, Call::receive(channel).from_token(token));
        let call = Call::send(m.handle(link), &[80]);
        m.call(other, call);
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
        pair.send(m, &[2]);
        assert_eq!(m.answer(pair.server).unwrap().word(), 2);
    });
}

#[test]
fn rule_09_a_token_of_a_former_life_is_a_dead_peer() {
    let mut pair = Pair::new();
    pair.system.on_end(pair.client_process, OnEnd::Restart);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        let token = pair.exchange(m, &[1]);
        m.call(pair.server, Call::reply(token, &[]));
        m.fault(pair.client);
        let select = Call::receive(channel).from_token(token);
        assert_eq!(m.refused(pair.server, select), Error::PeerDied);
        // One of its new life is none.
        m.prepare(pair.client);
        let token = pair.exchange(m, &[2]);
        m.call(pair.server, Call::reply(token, &[]));
        m.call(pair.server, Call::receive(channel).from_token(token));
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
    });
}

#[test]
fn rule_09_a_client_lives_also_when_its_tokens_have_come_round() {
    let mut pair = Pair::new();
    pair.system.on_end(pair.client_process, OnEnd::Restart);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        m.fault(pair.client);
        m.prepare(pair.client);
        m.thread(pair.client).set_generation(u32::MAX - 2);
        for word in 0..4 {
            let token = pair.exchange(m, &[word]);
            m.call(pair.server, Call::reply(token, &[]));
            m.call(pair.server, Call::receive(channel).from_token(token));
            assert_eq!(m.state(pair.server), State::ReceiveBlocked);
            pair.send(m, &[word]);
            let token = m.answer(pair.server).unwrap().token();
            m.call(pair.server, Call::reply(token, &[]));
        }
    });
}

#[test]
fn rule_09_a_badge_that_nobody_has_is_a_dead_peer() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let call = Call::receive(m.receive_handle(pair.channel)).from_badge(99);
        assert_eq!(m.refused(pair.server, call), Error::PeerDied);
    });
}

#[test]
fn rule_09_if_the_named_peer_dies_the_wait_ends_with_an_error() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        m.call(pair.server, Call::receive(channel).from_badge(7));
        m.fault(pair.client);
        assert_eq!(
            m.answer(pair.server).unwrap().error(),
            Some(Error::PeerDied)
        );
        let again = Call::receive(channel).from_badge(7);
        assert_eq!(
            m.answer_to(pair.server, again).error(),
            Some(Error::PeerDied)
        );
    });
}

#[test]
fn rule_09_if_the_client_of_the_token_dies_the_wait_ends_with_an_error() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        m.call(pair.server, Call::reply(token, &[]));
        let channel = m.receive_handle(pair.channel);
        m.call(pair.server, Call::receive(channel).from_token(token));
        m.fault(pair.client);
        assert_eq!(
            m.answer(pair.server).unwrap().error(),
            Some(Error::PeerDied)
        );
    });
}
