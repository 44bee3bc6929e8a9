//! Misuse hits the culprit, never its peer: rule 10.

use riposte_abi::{Error, call::number};
use riposte_kernel::State;
use riposte_model::{Call, Pair, System, both_paths, code, device};

const SERVER_RAM: u32 = 0x2000_0000;
const CLIENT_RAM: u32 = 0x2001_0000;
const END: u32 = 0x4000;

/// Ranges that are not all the process's to write, where its memory begins at `base`.
fn not_writable(base: u32, process: usize) -> Vec<(u32, u32)> {
    vec![
        (base - 1, 2),
        (base + END - 1, 2),
        (base + END, 1),
        (base, u32::MAX),
        (base + 8, u32::MAX - 4),
        (u32::MAX, 2),
        (0, 4),
        (code(process).base, 4),
        (device(process).base, 4),
    ]
}

#[test]
fn rule_10_a_client_that_offers_what_is_not_its_own_has_the_error_and_the_server_nothing() {
    let pair = Pair::new();
    for receive_first in [true, false] {
        both_paths(&pair.system, |m| {
            if receive_first {
                let call = Call::receive(m.receive_handle(pair.channel)).room(SERVER_RAM, 64);
                m.call(pair.server, call);
            }
            let bad = not_writable(CLIENT_RAM, 1);
            let code = code(1).base;
            for (address, length) in bad.into_iter().filter(|(at, _)| *at != code) {
                let call = Call::send_bytes(m.handle(pair.link), address, length);
                assert_eq!(
                    m.refused(pair.client, call),
                    Error::BadAddress,
                    "{address:#x} {length}"
                );
            }
            // Its code is its own to read.
            let call = Call::send_bytes(m.handle(pair.link), code, 4);
            m.call(pair.client, call);
            assert!(m.state(pair.client) != State::Ready);
        });
    }
}

#[test]
fn rule_10_a_client_whose_reply_room_is_not_its_own_has_the_error_and_the_reply_counts_as_given() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        for (address, length) in not_writable(CLIENT_RAM, 1) {
            pair.receive(m);
            let call = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, 4).room(address, length);
            m.call(pair.client, call);
            let token = m.answer(pair.server).unwrap().token();
            let replied = m.answer_to(pair.server, Call::reply_bytes(token, SERVER_RAM, 4));
            assert_eq!((replied.error(), replied.word()), (None, 0));
            let back = m.answer(pair.client).unwrap();
            assert_eq!(back.error(), Some(Error::BadAddress));
        }
    });
}

#[test]
fn rule_10_parts_that_are_not_the_clients_own_are_its_fault() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        m.host
            .poke_parts(CLIENT_RAM, &[(CLIENT_RAM, 4), (SERVER_RAM, 4)]);
        m.host
            .poke_parts(CLIENT_RAM + 0x100, &[(CLIENT_RAM, 0x4000); 16]);
        for (address, count) in [
            (CLIENT_RAM, 2),
            (SERVER_RAM, 1),
            (CLIENT_RAM + END - 8, 2),
            (u32::MAX - 7, 2),
        ] {
            let call = Call::send_vector(m.handle(pair.link), address, count);
            assert_eq!(m.refused(pair.client, call), Error::BadAddress);
        }
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
    });
}

#[test]
fn rule_10_a_server_whose_room_is_not_its_own_has_the_error_when_bytes_come_and_the_client_waits_on()
 {
    let pair = Pair::new();
    for receive_first in [true, false] {
        both_paths(&pair.system, |m| {
            for (address, length) in not_writable(SERVER_RAM, 0) {
                let receive = Call::receive(m.receive_handle(pair.channel)).room(address, length);
                let send = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, 4);
                if receive_first {
                    m.call(pair.server, receive);
                    m.call(pair.client, send);
                    let woken = m.answer(pair.server).unwrap();
                    assert_eq!(woken.error(), Some(Error::BadAddress));
                } else {
                    m.call(pair.client, send);
                    assert_eq!(m.refused(pair.server, receive), Error::BadAddress);
                }
                assert_eq!(m.state(pair.client), State::SendBlocked);
                let receive = Call::receive(m.receive_handle(pair.channel)).room(SERVER_RAM, 8);
                let got = m.answer_to(pair.server, receive);
                assert_eq!(got.bytes(), Some((4, 4)));
                m.call(pair.server, Call::reply(got.token(), &[]));
            }
        });
    }
}

#[test]
fn rule_10_a_room_for_a_message_that_is_not_the_servers_own_harms_nobody_while_words_come() {
    let pair = Pair::new();
    for receive_first in [true, false] {
        both_paths(&pair.system, |m| {
            let channel = m.receive_handle(pair.channel);
            let receives = [
                Call::receive(channel),
                Call::receive(channel).deadline(m.now() + 1000),
                Call::receive(channel).from_badge(7),
            ];
            for receive in receives {
                let receive = receive.room(CLIENT_RAM, 4);
                if receive_first {
                    m.call(pair.server, receive);
                    pair.send(m, &[1]);
                } else {
                    pair.send(m, &[1]);
                    m.call(pair.server, receive);
                }
                let got = m.answer(pair.server).unwrap();
                assert_eq!((got.error(), got.word()), (None, 1));
                // The answer is given, and the server waits, whatever its room is.
                let next = Call::reply_receive(channel, got.token(), &[2]).room(CLIENT_RAM, 4);
                m.call(pair.server, next);
                assert_eq!(m.answer(pair.client).unwrap().word(), 2);
                pair.send(m, &[3]);
                let got = m.answer(pair.server).unwrap();
                assert_eq!((got.error(), got.word()), (None, 3));
                m.call(pair.server, Call::reply(got.token(), &[]));
            }
        });
    }
}

#[test]
fn rule_10_a_room_in_parts_that_are_not_the_servers_own_is_found_when_bytes_come() {
    let pair = Pair::new();
    for receive_first in [true, false] {
        both_paths(&pair.system, |m| {
            let foreign = (CLIENT_RAM, 16);
            m.host
                .poke_parts(SERVER_RAM, &[(SERVER_RAM + 64, 2), foreign]);
            m.host.poke_parts(CLIENT_RAM, &[(CLIENT_RAM + 64, 16); 16]);
            let channel = m.receive_handle(pair.channel);
            let receive = Call::receive(channel).room_in_parts(SERVER_RAM, 2);
            let send = Call::send_vector(m.handle(pair.link), CLIENT_RAM, 16);
            if receive_first {
                m.call(pair.server, receive);
                m.call(pair.client, send);
            } else {
                m.call(pair.client, send);
                m.call(pair.server, receive);
            }
            let error = m.answer(pair.server).unwrap().error();
            assert_eq!(error, Some(Error::BadAddress));
            assert_eq!(m.host.peek(SERVER_RAM + 64, 2), [0; 2], "nothing is copied");
            assert_eq!(m.state(pair.client), State::SendBlocked);
            let many = Call::receive(channel).room_in_parts(SERVER_RAM, 17);
            assert_eq!(m.refused(pair.server, many), Error::BadArgument);
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies")]
fn rule_10_a_server_without_room_for_a_proxys_bytes_has_the_error_and_another_one_gets_them() {
    let mut system = System::new();
    let process = system.process();
    let [first, second, trigger] = [9, 8, 5].map(|priority| system.thread(process, priority));
    let channel = system.channel(process);
    let proxy = system.proxy(channel, b"news");
    both_paths(&system, |m| {
        let receive = Call::receive(m.receive_handle(channel));
        let handle = m.process(process).objects.proxies[proxy.number].slot;
        let connect = Call::other(number::CONNECT, &[handle.into()]);
        m.call(first, receive.room(CLIENT_RAM, 4));
        m.call(second, receive.room(SERVER_RAM, 64));
        let handle = m.answer_to(trigger, connect).word();
        m.call(trigger, Call::trigger(handle));
        let refused = m.answer(first).unwrap().error();
        assert_eq!(refused, Some(Error::BadAddress));
        assert!(m.answer(second).unwrap().notice().is_some());
        assert_eq!(m.host.peek(SERVER_RAM, 4), b"news");
        // Where it waits already: it stays.
        m.call(first, Call::sleep(m.now() + 1));
        m.call(second, Call::sleep(m.now() + 1));
        m.call(trigger, Call::trigger(handle));
        m.advance(1);
        let refused = m.refused(first, receive.room(CLIENT_RAM, 4));
        assert_eq!(refused, Error::BadAddress);
        let got = m.answer_to(first, receive.room(SERVER_RAM, 64));
        assert!(got.notice().is_some());
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies")]
fn rule_10_room_in_parts_for_a_proxys_bytes_gets_none_of_them_if_one_part_is_not_the_servers() {
    let mut system = System::new();
    let process = system.process();
    let [server, trigger] = [9, 5].map(|priority| system.thread(process, priority));
    let channel = system.channel(process);
    let proxy = system.proxy(channel, b"news");
    for receive_first in [true, false] {
        both_paths(&system, |m| {
            let receive = Call::receive(m.receive_handle(channel)).room_in_parts(SERVER_RAM, 2);
            let handle = m.process(process).objects.proxies[proxy.number].slot;
            let connect = Call::other(number::CONNECT, &[handle.into()]);
            let parts = [(SERVER_RAM + 64, 2), (CLIENT_RAM, 2)];
            m.host.poke_parts(SERVER_RAM, &parts);
            m.host.poke(SERVER_RAM + 64, b"old");
            if receive_first {
                m.call(server, receive);
            } else {
                m.call(server, Call::sleep(m.now() + 1));
            }
            let handle = m.answer_to(trigger, connect).word();
            m.call(trigger, Call::trigger(handle));
            let refused = if receive_first {
                m.answer(server).unwrap().error().unwrap()
            } else {
                m.advance(1);
                m.refused(server, receive)
            };
            assert_eq!(refused, Error::BadAddress);
            assert_eq!(m.host.peek(SERVER_RAM + 64, 3), b"old");
            assert_eq!(m.proxy(proxy).count(), 1, "it is still to be received");
        });
    }
}

#[test]
fn rule_10_a_waiting_server_that_spoils_its_own_parts_has_the_error_and_the_client_waits_for_the_next()
 {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke_parts(SERVER_RAM, &[(SERVER_RAM + 64, 16)]);
        let channel = m.receive_handle(pair.channel);
        m.call(
            pair.server,
            Call::receive(channel).room_in_parts(SERVER_RAM, 1),
        );
        m.host.poke_parts(SERVER_RAM, &[(CLIENT_RAM, 16)]);
        let call = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, 4);
        m.call(pair.client, call);
        assert_eq!(m.state(pair.client), State::SendBlocked);
        assert_eq!(
            m.answer(pair.server).unwrap().error(),
            Some(Error::BadAddress)
        );
        m.call(pair.server, Call::receive(channel).room(SERVER_RAM, 4));
        assert_eq!(m.answer(pair.server).unwrap().bytes(), Some((4, 4)));
    });
}

#[test]
fn rule_10_a_waiting_client_that_spoils_its_own_parts_has_the_error_and_the_server_waits_on() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke_parts(CLIENT_RAM, &[(CLIENT_RAM + 64, 16)]);
        let call = Call::send_vector(m.handle(pair.link), CLIENT_RAM, 1);
        m.call(pair.client, call);
        m.host.poke_parts(CLIENT_RAM, &[(SERVER_RAM, 16)]);
        let call = Call::receive(m.receive_handle(pair.channel)).room(SERVER_RAM, 16);
        m.call(pair.server, call);
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
        assert_eq!(
            m.answer(pair.client).unwrap().error(),
            Some(Error::BadAddress)
        );
    });
}

#[test]
fn rule_10_a_reply_from_memory_that_is_not_the_servers_leaves_the_client_waiting() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[]).room(CLIENT_RAM, 64);
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        for (address, length) in [(CLIENT_RAM, 4), (SERVER_RAM + END - 1, 2), (0, u32::MAX)] {
            let reply = Call::reply_bytes(token, address, length);
            assert_eq!(m.refused(pair.server, reply), Error::BadAddress);
            assert_eq!(m.state(pair.client), State::ReplyBlocked);
        }
        m.call(pair.server, Call::reply_bytes(token, SERVER_RAM, 4));
        assert_eq!(m.answer(pair.client).unwrap().bytes(), Some((4, 4)));
    });
}

#[test]
fn rule_10_a_client_that_spoils_its_reply_parts_has_the_error_and_the_reply_counts_as_given() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke_parts(CLIENT_RAM, &[(CLIENT_RAM + 64, 16)]);
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[]).room_in_parts(CLIENT_RAM, 1);
        m.call(pair.client, call);
        m.host.poke_parts(CLIENT_RAM, &[(SERVER_RAM, 16)]);
        let token = m.answer(pair.server).unwrap().token();
        let replied = m.answer_to(pair.server, Call::reply_bytes(token, SERVER_RAM, 4));
        assert_eq!((replied.error(), replied.word()), (None, 0));
        assert_eq!(
            m.answer(pair.client).unwrap().error(),
            Some(Error::BadAddress)
        );
    });
}

#[test]
fn rule_10_read_and_write_blame_whose_memory_it_is() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke_parts(CLIENT_RAM, &[(CLIENT_RAM + 64, 16)]);
        pair.receive(m);
        let call = Call::send_vector(m.handle(pair.link), CLIENT_RAM, 1);
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        for call in [
            Call::read(token, CLIENT_RAM, 4, 0),
            Call::write(token, CLIENT_RAM, 4, 0),
        ] {
            assert_eq!(m.refused(pair.server, call), Error::BadAddress);
            assert_eq!(m.state(pair.client), State::ReplyBlocked);
        }
        m.host.poke_parts(CLIENT_RAM, &[(SERVER_RAM, 16)]);
        let answer = m.answer_to(pair.server, Call::read(token, SERVER_RAM, 4, 0));
        assert_eq!((answer.error(), answer.word()), (None, 0));
        assert_eq!(
            m.answer(pair.client).unwrap().error(),
            Some(Error::BadAddress)
        );
    });
}

#[test]
fn rule_10_a_bad_room_for_a_reply_in_words_harms_nobody_whichever_path_it_takes() {
    let pair = Pair::new();
    for receive_first in [true, false] {
        both_paths(&pair.system, |m| {
            if receive_first {
                pair.receive(m);
            }
            let call = Call::send(m.handle(pair.link), &[1]).room(SERVER_RAM, 4);
            m.call(pair.client, call);
            if !receive_first {
                pair.receive(m);
            }
            let token = m.answer(pair.server).unwrap().token();
            m.call(pair.server, Call::reply(token, &[2]));
            assert_eq!(m.answer(pair.client).unwrap().word(), 2);
        });
    }
}

#[test]
fn rule_10_a_bad_room_for_words_is_found_when_bytes_come_and_is_the_clients_fault() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[1]).room(SERVER_RAM, 4);
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        let replied = m.answer_to(pair.server, Call::reply_bytes(token, SERVER_RAM, 4));
        assert_eq!(replied.error(), None);
        assert_eq!(
            m.answer(pair.client).unwrap().error(),
            Some(Error::BadAddress)
        );
    });
}

#[test]
fn rule_10_a_handle_that_is_none_is_the_callers_error_alone() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let own = m.handle(pair.link);
        let channel = m.receive_handle(pair.channel);
        for (call, error) in [
            (Call::send(own + 1, &[]), Error::BadHandle),
            (Call::send(own + 0x100, &[]), Error::BadHandle),
            (Call::send(own + 8, &[]), Error::BadHandle),
            (Call::send(0xFF, &[]), Error::BadHandle),
            (Call::receive(own), Error::NotPermitted),
            (Call::receive(channel), Error::NotPermitted),
            (Call::other(number::CLOSE, &[0xFF]), Error::BadHandle),
            (Call::other(number::CONNECT, &[3]), Error::NotPermitted),
            (Call::other(number::CONNECT, &[0x100]), Error::BadHandle),
            (Call::other(number::SHUTDOWN, &[0]), Error::NotPermitted),
            (Call::other(number::FAULT_RECORD, &[0]), Error::NotPermitted),
            (
                Call::other(number::STACK_UNUSED, &[0, 0]),
                Error::NotPermitted,
            ),
        ] {
            assert_eq!(m.refused(pair.client, call), error, "{call:x?}");
        }
        // What the server itself receives from is nothing that it can send to.
        assert_eq!(
            m.refused(pair.server, Call::send(channel, &[])),
            Error::NotPermitted
        );
    });
}

#[test]
fn rule_10_unknown_flags_are_refused() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        let channel = m.receive_handle(pair.channel);
        let mut reply = Call::reply(token, &[]);
        reply.registers[riposte_abi::register::INFO] |= riposte_abi::info::VECTOR;
        let mut receive = Call::receive(channel);
        receive.registers[riposte_abi::register::INFO] = 1;
        let mut select = Call::receive(channel).from_badge(7);
        select.registers[riposte_abi::register::WORD0] = 9;
        for call in [reply, receive, select] {
            assert_eq!(m.refused(pair.server, call), Error::BadArgument);
        }
    });
}
