//! Send, receive, reply: rules 1 to 5, 7 and 8.

use riposte_abi::{Error, call::number, info};
use riposte_kernel::State;
use riposte_model::{Call, Pair, both_paths, ram};

const SERVER_RAM: u32 = 0x2000_0000;
const CLIENT_RAM: u32 = 0x2001_0000;

#[test]
fn addresses_used_here_are_those_of_the_processes() {
    assert_eq!((ram(0).base, ram(1).base), (SERVER_RAM, CLIENT_RAM));
}

#[test]
fn rule_01_a_message_sent_first_waits_until_it_is_received() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.send(m, &[1, 2]);
        assert_eq!(m.state(pair.client), State::SendBlocked);
        pair.receive(m);
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
        assert_eq!(m.answer(pair.server).unwrap().words(), [1, 2, 0, 0, 0]);
    });
}

#[test]
fn rule_01_a_message_to_a_waiting_receiver_is_taken_at_once_and_the_receiver_runs() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
        pair.send(m, &[1, 2]);
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
        assert_eq!(m.current(), pair.server);
    });
}

#[test]
fn rule_01_the_order_of_send_and_receive_never_matters() {
    let pair = Pair::new();
    for words in 0..=5 {
        both_paths(&pair.system, |m| {
            let mut seen = Vec::new();
            for receive_first in [true, false] {
                let words: Vec<u32> = (1..=words).collect();
                if receive_first {
                    pair.receive(m);
                    pair.send(m, &words);
                } else {
                    pair.send(m, &words);
                    pair.receive(m);
                }
                let got = m.answer(pair.server).unwrap();
                m.call(pair.server, Call::reply(got.token(), &words));
                let back = m.answer(pair.client).unwrap();
                assert_eq!(got.badge(), 7);
                assert_eq!(got.length(), words.len() as u32 * 4);
                seen.push((got.words(), got.length(), back.words(), back.length()));
            }
            assert_eq!(seen[0], seen[1]);
        });
    }
}

#[test]
fn rule_01_a_receiver_runs_next_only_if_its_priority_allows() {
    let mut pair = Pair::new();
    pair.system.fixed_priority(pair.channel, 3);
    both_paths(&pair.system, |m| {
        m.call(pair.client, Call::sleep(m.now() + 10));
        pair.receive(m);
        m.advance(10);
        // A third party would be more urgent; here the client itself goes on being so until it waits.
        pair.send(m, &[1]);
        assert_eq!((m.current(), m.priority(pair.server)), (pair.server, 3));
    });
}

#[test]
fn rule_02_a_receive_with_nothing_queued_blocks_and_its_other_form_does_not() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let call = Call::receive(m.receive_handle(pair.channel)).deadline(0);
        assert_eq!(m.refused(pair.server, call), Error::WouldBlock);
        assert_eq!(m.state(pair.server), State::Ready);
        pair.receive(m);
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
    });
}

#[test]
fn rule_02_the_form_that_does_not_block_takes_what_waits() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.send(m, &[5]);
        let call = Call::receive(m.receive_handle(pair.channel)).deadline(0);
        assert_eq!(m.answer_to(pair.server, call).word(), 5);
    });
}

#[test]
fn rule_02_a_reply_never_blocks() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        m.call(pair.server, Call::reply(token, &[9]));
        assert_eq!(m.current(), pair.server);
        assert_eq!(m.state(pair.client), State::Ready);
        assert_eq!(m.answer(pair.client).unwrap().word(), 9);
    });
}

#[test]
fn rule_03_five_words_travel_in_registers_and_more_are_refused() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let mut call = Call::send(m.handle(pair.link), &[1, 2, 3, 4, 5]);
        call.registers[riposte_abi::register::INFO] = 21;
        assert_eq!(
            m.answer_to(pair.client, call).error(),
            Some(Error::BadArgument)
        );
        pair.send(m, &[1, 2, 3, 4, 5]);
        let got = m.answer(pair.server).unwrap();
        assert_eq!((got.words(), got.length()), ([1, 2, 3, 4, 5], 20));
        let mut reply = Call::reply(got.token(), &[5, 4, 3, 2, 1]);
        reply.registers[riposte_abi::register::INFO] += 1;
        assert_eq!(
            m.answer_to(pair.server, reply).error(),
            Some(Error::BadArgument)
        );
        m.call(pair.server, Call::reply(got.token(), &[5, 4, 3, 2, 1]));
        assert_eq!(m.answer(pair.client).unwrap().words(), [5, 4, 3, 2, 1]);
    });
}

#[test]
fn rule_03_an_odd_number_of_bytes_in_registers_keeps_its_length() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let mut call = Call::send(m.handle(pair.link), &[0x0102]);
        call.registers[riposte_abi::register::INFO] = 2;
        m.call(pair.client, call);
        let got = m.answer(pair.server).unwrap();
        assert_eq!((got.length(), got.word()), (2, 0x0102));
    });
}

#[test]
fn rule_03_an_empty_message_only_synchronises() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        assert_eq!(m.answer(pair.server).unwrap().length(), 0);
        m.call(pair.server, Call::reply(token, &[]));
        assert_eq!(m.answer(pair.client).unwrap().length(), 0);
    });
}

#[test]
fn rule_03_an_empty_message_of_bytes_needs_no_valid_address() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let call = Call::send_bytes(m.handle(pair.link), 0xDEAD_BEEF, 0);
        m.call(pair.client, call);
        assert_eq!(m.answer(pair.server).unwrap().bytes(), Some((0, 0)));
    });
}

#[test]
fn rule_03_bytes_are_gathered_and_scattered_in_other_shapes() {
    let pair = Pair::new();
    for receive_first in [true, false] {
        both_paths(&pair.system, |m| {
            m.host.poke(CLIENT_RAM + 0x100, b"ABC");
            m.host.poke(CLIENT_RAM + 0x200, b"DEFGHIJ");
            m.host.poke_parts(
                CLIENT_RAM,
                &[(CLIENT_RAM + 0x100, 3), (0, 0), (CLIENT_RAM + 0x200, 7)],
            );
            m.host.poke_parts(
                SERVER_RAM,
                &[
                    (SERVER_RAM + 0x100, 5),
                    (SERVER_RAM + 0x200, 4),
                    (SERVER_RAM + 0x300, 8),
                ],
            );
            let send = Call::send_vector(m.handle(pair.link), CLIENT_RAM, 3);
            let receive =
                Call::receive(m.receive_handle(pair.channel)).room_in_parts(SERVER_RAM, 3);
            if receive_first {
                m.call(pair.server, receive);
                m.call(pair.client, send);
            } else {
                m.call(pair.client, send);
                m.call(pair.server, receive);
            }
            assert_eq!(m.answer(pair.server).unwrap().bytes(), Some((10, 10)));
            assert_eq!(m.host.peek(SERVER_RAM + 0x100, 5), b"ABCDE");
            assert_eq!(m.host.peek(SERVER_RAM + 0x200, 4), b"FGHI");
            assert_eq!(m.host.peek(SERVER_RAM + 0x300, 2), b"J\0");
        });
    }
}

#[test]
fn rule_03_a_reply_is_gathered_and_scattered_too() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke_parts(
            CLIENT_RAM,
            &[(CLIENT_RAM + 0x100, 2), (CLIENT_RAM + 0x200, 9)],
        );
        m.host.poke(SERVER_RAM + 0x100, b"xyz");
        m.host.poke(SERVER_RAM + 0x200, b"!");
        m.host.poke_parts(
            SERVER_RAM,
            &[(SERVER_RAM + 0x100, 3), (SERVER_RAM + 0x200, 1)],
        );
        pair.receive(m);
        let send = Call::send(m.handle(pair.link), &[]).room_in_parts(CLIENT_RAM, 2);
        m.call(pair.client, send);
        let token = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply_vector(token, SERVER_RAM, 2));
        assert_eq!(m.answer(pair.client).unwrap().bytes(), Some((4, 4)));
        assert_eq!(m.host.peek(CLIENT_RAM + 0x100, 2), b"xy");
        assert_eq!(m.host.peek(CLIENT_RAM + 0x200, 2), b"z!");
    });
}

#[test]
fn rule_03_seventeen_parts_are_refused() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke_parts(CLIENT_RAM, &[(CLIENT_RAM, 1); 17]);
        pair.receive(m);
        let call = Call::send_vector(m.handle(pair.link), CLIENT_RAM, 17);
        assert_eq!(
            m.answer_to(pair.client, call).error(),
            Some(Error::BadArgument)
        );
        let call = Call::send_vector(m.handle(pair.link), CLIENT_RAM, 16);
        m.call(pair.client, call);
        assert_eq!(m.answer(pair.server).unwrap().bytes(), Some((0, 16)));
    });
}

#[test]
fn rule_04_what_is_transferred_is_the_smaller_of_offered_and_accepted() {
    let pair = Pair::new();
    for (offered, room) in [(10, 4), (4, 10), (7, 7), (0, 5), (5, 0)] {
        for receive_first in [true, false] {
            both_paths(&pair.system, |m| {
                m.host.poke(CLIENT_RAM, b"0123456789");
                m.host.poke(SERVER_RAM, &[b'.'; 12]);
                let send = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, offered)
                    .room(CLIENT_RAM + 0x100, offered);
                let receive = Call::receive(m.receive_handle(pair.channel)).room(SERVER_RAM, room);
                if receive_first {
                    m.call(pair.server, receive);
                    m.call(pair.client, send);
                } else {
                    m.call(pair.client, send);
                    m.call(pair.server, receive);
                }
                let taken = offered.min(room);
                let got = m.answer(pair.server).unwrap();
                assert_eq!(
                    got.bytes(),
                    Some((taken, offered)),
                    "the server learns both"
                );
                let mut expected = b"0123456789"[..taken as usize].to_vec();
                expected.resize(12, b'.');
                assert_eq!(m.host.peek(SERVER_RAM, 12), expected, "nothing overflows");

                m.host.poke(SERVER_RAM + 0x200, b"abcdefghij");
                m.host.poke(CLIENT_RAM + 0x100, &[b'.'; 12]);
                let reply = Call::reply_bytes(got.token(), SERVER_RAM + 0x200, room);
                let replied = m.answer_to(pair.server, reply);
                assert_eq!(replied.word(), taken, "the server learns what was taken");
                let back = m.answer(pair.client).unwrap();
                assert_eq!(back.bytes(), Some((taken, room)), "the client learns both");
                assert_eq!(back.accepted(), taken, "and what of its message was taken");
                let mut expected = b"abcdefghij"[..taken as usize].to_vec();
                expected.resize(12, b'.');
                assert_eq!(m.host.peek(CLIENT_RAM + 0x100, 12), expected);
            });
        }
    }
}

#[test]
fn rule_05_a_reply_carries_a_status_and_words() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        m.call(pair.server, Call::reply(token, &[1]).status(0xFFFF_FFFF));
        let back = m.answer(pair.client).unwrap();
        assert_eq!(back.error(), None);
        assert_eq!((back.status(), back.word()), (0xFFFF_FFFF, 1));
    });
}

#[test]
fn rule_05_a_reply_carries_a_status_and_bytes() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let send = Call::send(m.handle(pair.link), &[]).room(CLIENT_RAM, 8);
        m.call(pair.client, send);
        m.host.poke(SERVER_RAM, b"hello");
        let token = m.answer(pair.server).unwrap().token();
        m.call(
            pair.server,
            Call::reply_bytes(token, SERVER_RAM, 5).status(3),
        );
        let back = m.answer(pair.client).unwrap();
        assert_eq!((back.status(), back.bytes()), (3, Some((5, 5))));
        assert_eq!(m.host.peek(CLIENT_RAM, 5), b"hello");
    });
}

#[test]
fn rule_05_an_error_reply_has_no_bytes_and_is_not_a_kernel_error() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[1, 2, 3, 4, 5]);
        m.call(
            pair.server,
            Call::reply_error(token, Error::BadHandle as u32),
        );
        let back = m.answer(pair.client).unwrap();
        assert_eq!(back.error(), None);
        assert_eq!(back.status(), Error::BadHandle as u32);
        assert_eq!((back.length(), back.words()), (0, [0; 5]));
        assert_eq!(back.info() & info::ERROR, 0);
    });
}

#[test]
fn rule_05_a_kernel_error_is_no_status() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let back = m.answer_to(pair.client, Call::send(0x0FFF_FF00, &[]));
        assert_eq!(back.error(), Some(Error::BadHandle));
    });
}

#[test]
fn rule_07_read_takes_parts_of_a_message_and_is_short_at_its_end() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke(CLIENT_RAM, b"0123456789");
        pair.receive(m);
        let send = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, 10);
        m.call(pair.client, send);
        let token = m.answer(pair.server).unwrap().token();
        for (offset, length, expected) in [
            (0, 4, "0123"),
            (4, 4, "4567"),
            (8, 4, "89"),
            (10, 4, ""),
            (11, 1, ""),
            (u32::MAX, 4, ""),
        ] {
            let read = Call::read(token, SERVER_RAM, length, offset);
            let got = m.answer_to(pair.server, read).word();
            assert_eq!(m.host.peek(SERVER_RAM, got), expected.as_bytes());
        }
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
    });
}

#[test]
fn rule_07_read_follows_the_parts_of_a_message() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke(CLIENT_RAM + 0x100, b"ABC");
        m.host.poke(CLIENT_RAM + 0x200, b"DEFG");
        m.host.poke_parts(
            CLIENT_RAM,
            &[(CLIENT_RAM + 0x100, 3), (CLIENT_RAM + 0x200, 4)],
        );
        pair.receive(m);
        let send = Call::send_vector(m.handle(pair.link), CLIENT_RAM, 2);
        m.call(pair.client, send);
        let token = m.answer(pair.server).unwrap().token();
        let read = Call::read(token, SERVER_RAM, 9, 2);
        assert_eq!(m.answer_to(pair.server, read).word(), 5);
        assert_eq!(m.host.peek(SERVER_RAM, 5), b"CDEFG");
    });
}

#[test]
fn rule_07_read_of_a_message_in_registers_finds_no_bytes() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[1, 2, 3]);
        let read = Call::read(token, SERVER_RAM, 8, 0);
        assert_eq!(m.answer_to(pair.server, read).word(), 0);
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
    });
}

#[test]
fn rule_07_write_fills_parts_of_the_reply_buffer_and_never_unblocks() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke(CLIENT_RAM, &[b'.'; 8]);
        m.host.poke(SERVER_RAM, b"abcdef");
        pair.receive(m);
        let send = Call::send(m.handle(pair.link), &[]).room(CLIENT_RAM, 7);
        m.call(pair.client, send);
        let token = m.answer(pair.server).unwrap().token();
        for (offset, length, taken) in [(0, 2, 2), (4, 6, 3), (7, 1, 0), (8, 1, 0)] {
            let write = Call::write(token, SERVER_RAM, length, offset);
            assert_eq!(m.answer_to(pair.server, write).word(), taken);
            assert_eq!(m.state(pair.client), State::ReplyBlocked);
        }
        assert_eq!(m.host.peek(CLIENT_RAM, 8), b"ab..abc.");
        m.call(pair.server, Call::reply(token, &[6]));
        assert_eq!(m.answer(pair.client).unwrap().word(), 6);
    });
}

#[test]
fn rule_07_a_client_that_was_answered_cannot_be_read_or_written() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        m.call(pair.server, Call::reply(token, &[]));
        for call in [
            Call::read(token, SERVER_RAM, 4, 0),
            Call::write(token, SERVER_RAM, 4, 0),
        ] {
            assert_eq!(m.refused(pair.server, call), Error::NoSuchClient);
        }
    });
}

#[test]
fn rule_08_reply_receive_answers_and_waits_in_one_call() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let mut token = pair.exchange(m, &[0]);
        for turn in 1..20 {
            let call = Call::reply_receive(m.receive_handle(pair.channel), token, &[turn, turn]);
            m.call(pair.server, call);
            assert_eq!(m.state(pair.server), State::ReceiveBlocked);
            assert_eq!(m.current(), pair.client, "the client runs next");
            let back = m.answer(pair.client).unwrap();
            assert_eq!((back.status(), back.length()), (0, 8));
            assert_eq!(back.words()[..2], [turn, turn]);
            pair.send(m, &[turn]);
            let got = m.answer(pair.server).unwrap();
            assert_eq!(got.word(), turn);
            assert_ne!(got.token(), token, "every message has its own token");
            token = got.token();
        }
    });
}

#[test]
fn rule_08_reply_receive_takes_the_message_that_waits() {
    let mut pair = Pair::new();
    let (other, link) = pair.another_client(10, 8);
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[0]);
        let call = Call::send(m.handle(link), &[33]);
        m.call(other, call);
        let call = Call::reply_receive(m.receive_handle(pair.channel), token, &[22]);
        m.call(pair.server, call);
        assert_eq!(m.answer(pair.client).unwrap().word(), 22);
        let got = m.answer(pair.server).unwrap();
        assert_eq!((got.badge(), got.word()), (8, 33));
    });
}

#[test]
fn rule_08_reply_receive_in_bytes_with_status_and_as_error() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke(SERVER_RAM, b"hello");
        pair.receive(m);
        let channel = m.receive_handle(pair.channel);
        let send = Call::send(m.handle(pair.link), &[]).room(CLIENT_RAM, 5);
        m.call(pair.client, send);
        let token = m.answer(pair.server).unwrap().token();
        m.call(
            pair.server,
            Call::reply_bytes_receive(channel, token, SERVER_RAM, 5).status(4),
        );
        let back = m.answer(pair.client).unwrap();
        assert_eq!((back.status(), back.bytes()), (4, Some((5, 5))));
        m.call(pair.client, send);
        let token = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply_error_receive(channel, token, 12));
        assert_eq!(m.answer(pair.client).unwrap().status(), 12);
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
    });
}

#[test]
fn rule_08_a_reply_receive_that_fails_has_answered_nobody() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        let channel = m.receive_handle(pair.channel);
        let wrong = Call::reply_receive(m.handle(pair.link) + 1, token, &[]);
        for (call, error) in [
            (wrong, Error::NotPermitted),
            (
                Call::reply_receive(channel + 0x100, token, &[]),
                Error::BadHandle,
            ),
            (
                Call::reply_bytes_receive(channel, token, CLIENT_RAM, 4),
                Error::BadAddress,
            ),
        ] {
            assert_eq!(m.answer_to(pair.server, call).error(), Some(error));
            assert_eq!(m.state(pair.client), State::ReplyBlocked);
        }
        m.call(pair.server, Call::reply(token, &[1]));
        assert_eq!(m.answer(pair.client).unwrap().word(), 1);
    });
}

#[test]
fn a_null_call_and_a_wrong_call_change_nothing() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let before = m.shape();
        m.call(pair.server, Call::null());
        for number in [
            number::COUNT,
            0xFF,
            0x0FFF_FFFF,
            0x0000_0100,
            0xC000_0003,
            0xF000_0000,
            u32::MAX,
        ] {
            assert_eq!(
                m.refused(pair.server, Call::other(number, &[])),
                Error::BadCall,
                "{number:#x}"
            );
        }
        assert_eq!(m.shape(), before);
    });
}
