//! Clients of channels with a fixed priority, each of which its server keeps as long as it likes, and answers by whichever
//! way is short.

use riposte_abi::{Error, signal::how};
use riposte_kernel::State;
use riposte_model::{Call, Machine, Pair, ThreadId, Token, both_paths};

const SERVER_RAM: u32 = 0x2000_0000;
const CLIENT_RAM: u32 = 0x2001_0000;
const LENGTH: u32 = 2000;
const TERM: u32 = 15;

/// A pair whose channel has a fixed priority, with further threads in the server's process, and in the client's.
fn pair_beside<const THREADS: usize>(
    servers: &[u8],
    clients: &[u8],
) -> (Pair, [ThreadId; THREADS]) {
    let (mut pair, threads) = Pair::beside(servers, clients);
    pair.system.fixed_priority(pair.channel, 12);
    (pair, threads.try_into().expect("as many"))
}

fn pair() -> Pair {
    pair_beside::<0>(&[], &[]).0
}

#[test]
fn a_guest_is_answered_by_whichever_thread_of_the_process_answers_it() {
    for shared in [false, true] {
        let (mut pair, [other]) = pair_beside(&[9], &[]);
        let further = match shared {
            true => pair.channel,
            false => pair.system.channel(pair.server_process),
        };
        pair.system.fixed_priority(further, 12);
        let (second, link) = pair.client_of(further, 8, 9);
        for receives in [false, true] {
            both_paths(&pair.system, |m| {
                let token = pair.exchange(m, &[1]);
                // Who keeps it does something else meanwhile.
                m.call(pair.server, Call::sleep(m.now() + 50));
                m.receive(other, further);
                m.send(second, link, &[2]);
                let own = m.answer(other).unwrap().token();
                if receives {
                    let handle = m.receive_handle(further);
                    m.call(other, Call::reply_receive(handle, token, &[3]));
                    assert_eq!(m.state(other), State::ReceiveBlocked);
                } else {
                    m.call(other, Call::reply(token, &[3]));
                    m.call(other, Call::sleep(u64::MAX));
                }
                assert_eq!(m.answer(pair.client).unwrap().word(), 3);
                assert_eq!(m.state(second), State::ReplyBlocked);
                m.call(pair.client, Call::sleep(u64::MAX));
                m.advance(50);
                m.call(pair.server, Call::reply(own, &[4]));
                assert_eq!(m.answer(second).unwrap().word(), 4);
            });
        }
    }
}

/// While it serves a guest, those who wait at another channel from which it received raise it, beside another receiver.
#[test]
fn rule_16_a_server_that_has_answered_its_last_guest_is_raised_no_more() {
    let (mut pair, [other]) = pair_beside(&[9], &[]);
    let plain = pair.system.channel(pair.server_process);
    let [(first, to_first), (second, to_second)] = [7, 8].map(|it| pair.client_of(plain, it, 9));
    let (urgent, to_urgent) = pair.client_of(plain, 20, 9);
    both_paths(&pair.system, |m| {
        let start = m.now();
        m.call(urgent, Call::sleep(start + 100));
        for thread in [pair.server, pair.client] {
            m.call(thread, Call::sleep(start + 10));
        }
        m.receive(other, plain);
        m.call(second, Call::sleep(start + 20));
        m.send(first, to_first, &[]);
        assert!(m.answer(other).is_some());
        m.call(other, Call::sleep(start + 1000));
        m.advance_to(start + 10);
        let guest = pair.exchange(m, &[]);
        m.receive(pair.server, plain);
        m.advance_to(start + 20);
        m.send(second, to_second, &[]);
        let token = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply(token, &[]));
        m.advance_to(start + 100);
        m.send(urgent, to_urgent, &[]);
        assert_eq!(m.priority(pair.server), 20);
        m.call(pair.server, Call::reply(guest, &[]));
        assert_eq!(m.priority(pair.server), 10);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_16_a_guest_that_has_become_the_only_receiver_is_raised_when_it_goes_on() {
    for receives in [false, true] {
        let (mut pair, [leaving]) = pair_beside(&[], &[11]);
        let own = pair.system.channel(pair.client_process);
        let (urgent, link) = pair.client_of(own, 20, 9);
        both_paths(&pair.system, |m| {
            let start = m.now();
            m.call(urgent, Call::sleep(start + 1000));
            let handle = m.receive_handle(own);
            for receiver in [leaving, pair.client] {
                m.call(receiver, Call::notify(handle, 1));
                m.call(receiver, Call::receive(handle));
                if receiver == leaving {
                    m.call(leaving, Call::sleep(start + 500));
                }
            }
            let guest = pair.exchange(m, &[]);
            m.call(pair.server, Call::sleep(start + 600));
            m.advance_to(start + 500);
            m.call(leaving, Call::exit_thread(0));
            m.advance_to(start + 600);
            let answer = if receives {
                Call::reply_receive(m.receive_handle(pair.channel), guest, &[])
            } else {
                Call::reply(guest, &[])
            };
            m.call(pair.server, answer);
            m.advance_to(start + 1000);
            m.send(urgent, link, &[]);
            assert_eq!(m.priority(pair.client), 20);
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no signals")]
fn rule_20_a_guest_that_is_answered_before_its_server_hears_of_the_signal_leaves_no_notice() {
    for receives in [false, true] {
        let mut pair = pair();
        pair.system.notify_unblock(pair.channel);
        let giver = pair.system.process();
        let thread = pair.system.thread(giver, 20);
        let position = pair.system.signal(giver, pair.client_process);
        both_paths(&pair.system, |m| {
            let start = m.now();
            m.call(thread, Call::sleep(start + 100));
            m.call(pair.client, Call::action(pair.client_process, u64::MAX));
            m.call(pair.client, Call::mask(how::SET, 0));
            let guest = pair.exchange(m, &[]);
            m.advance_to(start + 100);
            m.call(thread, Call::signal(position, 10, 0));
            m.call(thread, Call::sleep(u64::MAX));
            let channel = m.receive_handle(pair.channel);
            let answer = if receives {
                Call::reply_receive(channel, guest, &[])
            } else {
                Call::reply(guest, &[])
            };
            m.call(pair.server, answer);
            assert_ne!(m.state(pair.client), State::ReplyBlocked);
            if !receives {
                m.call(pair.server, Call::receive(channel));
            } else if m.state(pair.server) != State::ReceiveBlocked {
                // It is told of the guest that had left already.
                assert_eq!(m.answer(pair.server).unwrap().error(), None);
            }
        });
    }
}

#[test]
fn rule_10_a_copy_that_its_server_leaves_for_an_answer_is_over() {
    for receives in [false, true] {
        let (pair, [urgent]) = pair_beside(&[20], &[]);
        both_paths(&pair.system, |m| {
            let at = m.now() + 100;
            m.call(urgent, Call::sleep(at));
            let bytes: Vec<u8> = (0..LENGTH).map(|it| it as u8).collect();
            m.host.poke(CLIENT_RAM, &bytes);
            let send = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, LENGTH);
            let channel = m.receive_handle(pair.channel);
            m.call(pair.server, Call::receive(channel));
            m.call(pair.client, send);
            let guest = m.answer(pair.server).unwrap().token();
            m.host.interrupt_after(2);
            let read = Call::read(guest, SERVER_RAM, LENGTH, 0);
            assert!(!m.call_once(pair.server, read));
            let answer = if receives {
                Call::reply_receive(channel, guest, &[])
            } else {
                Call::reply(guest, &[])
            };
            m.advance_to(at);
            m.divert(pair.server);
            m.call(urgent, Call::sleep(u64::MAX));
            m.call(pair.server, answer);
            if !receives {
                m.call(pair.server, Call::receive(channel));
            }
            m.host.poke(SERVER_RAM, &[0xFF; LENGTH as usize]);
            m.call(pair.client, send);
            let guest = m.answer(pair.server).unwrap().token();
            let read = Call::read(guest, SERVER_RAM, LENGTH, 0);
            m.call(pair.server, read);
            assert!(m.host.peek(SERVER_RAM, LENGTH) == bytes);
        });
    }
}

#[test]
fn rule_10_a_copy_that_its_caller_leaves_for_a_message_is_over() {
    let (mut pair, [urgent]) = pair_beside(&[], &[20]);
    let reader = pair.system.channel(pair.client_process);
    let (read, to_reader) = pair.client_of(reader, 9, 9);
    both_paths(&pair.system, |m| {
        let at = m.now() + 100;
        m.call(urgent, Call::sleep(at));
        let bytes: Vec<u8> = (0..LENGTH).map(|it| it as u8).collect();
        m.host.poke(SERVER_RAM + 0x2_0000, &bytes);
        pair.receive(m);
        m.receive(pair.client, reader);
        let send = Call::send_bytes(m.handle(to_reader), SERVER_RAM + 0x2_0000, LENGTH);
        m.call(read, send);
        let token = m.answer(pair.client).unwrap().token();
        m.host.interrupt_after(2);
        let call = Call::read(token, CLIENT_RAM, LENGTH, 0);
        assert!(!m.call_once(pair.client, call));
        m.advance_to(at);
        m.divert(pair.client);
        m.call(urgent, Call::sleep(u64::MAX));
        m.call(pair.client, Call::send(m.handle(pair.link), &[]));
        let guest = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply(guest, &[]));
        m.call(pair.server, Call::sleep(u64::MAX));
        m.host.poke(CLIENT_RAM, &[0xFF; LENGTH as usize]);
        m.call(pair.client, call);
        assert!(m.host.peek(CLIENT_RAM, LENGTH) == bytes);
    });
}

#[test]
fn rule_06_a_guest_with_room_in_parts_has_its_answer_there() {
    let pair = pair();
    both_paths(&pair.system, |m| {
        let [first, second] = [CLIENT_RAM + 0x100, CLIENT_RAM + 0x200];
        let parts: Vec<u8> = [first, 8, second, 24]
            .iter()
            .flat_map(|it: &u32| it.to_le_bytes())
            .collect();
        m.host.poke(CLIENT_RAM, &parts);
        let bytes: Vec<u8> = (1..33).collect();
        m.host.poke(SERVER_RAM, &bytes);
        for receives in [false, true] {
            pair.receive(m);
            let send = Call::send(m.handle(pair.link), &[1]).room_in_parts(CLIENT_RAM, 2);
            m.call(pair.client, send);
            let guest = m.answer(pair.server).unwrap().token();
            let answer = if receives {
                let channel = m.receive_handle(pair.channel);
                Call::reply_bytes_receive(channel, guest, SERVER_RAM, 32)
            } else {
                Call::reply_bytes(guest, SERVER_RAM, 32)
            };
            m.call(pair.server, answer);
            assert_eq!(m.answer(pair.client).unwrap().error(), None);
            assert_eq!(m.host.peek(first, 8), bytes[..8]);
            assert_eq!(m.host.peek(second, 24), bytes[8..]);
            assert_eq!(m.host.peek(CLIENT_RAM, 16), parts);
        }
        assert_eq!(m.refused(pair.client, Call::send(0, &[])), Error::BadHandle);
    });
}

/// Room for 2000 bytes of an answer.
fn with_room(send: Call) -> Call {
    send.room(CLIENT_RAM, LENGTH)
}

/// A copy of `writer` to a client of another thread is cut short, and `writer` does not go on with it. What it wrote.
fn begins_to_write(m: &mut Machine, writer: ThreadId, urgent: ThreadId, client: Token) -> Vec<u8> {
    let bytes: Vec<u8> = (0..LENGTH).map(|it| it as u8).collect();
    let at = m.thread(urgent).deadline().expect("it sleeps");
    m.host.poke(SERVER_RAM, &bytes);
    m.host.interrupt_after(2);
    assert!(!m.call_once(writer, Call::write(client, SERVER_RAM, LENGTH, 0)));
    m.advance_to(at);
    m.divert(writer);
    m.call(urgent, Call::sleep(u64::MAX));
    bytes
}

/// `writer` writes for the client's next message, from the beginning on.
fn writes_anew(m: &mut Machine, writer: ThreadId, client: Token, bytes: &[u8]) {
    m.host.poke(CLIENT_RAM, &[0xFF; LENGTH as usize]);
    m.call(writer, Call::write(client, SERVER_RAM, LENGTH, 0));
    assert_eq!(m.answer(writer).unwrap().word(), LENGTH);
    assert!(m.host.peek(CLIENT_RAM, LENGTH) == bytes);
}

/// A thread writes for a client that another one answers in registers meanwhile, and anew for its next message: a guest's, or
/// one to that other one again.
fn is_none_for_the_next_message(is_guest: bool) {
    let (mut pair, [writer, urgent, other]) = pair_beside(&[9, 20, 10], &[]);
    let plain = pair.system.channel(pair.server_process);
    let to_plain = pair.system.connection(pair.client_process, plain, 9);
    let (link, receiver) = match is_guest {
        true => (pair.link, pair.server),
        false => (to_plain, other),
    };
    both_paths(&pair.system, |m| {
        let start = m.now();
        m.call(urgent, Call::sleep(start + 100));
        pair.receive(m);
        m.receive(other, plain);
        m.call(pair.client, with_room(Call::send(m.handle(to_plain), &[1])));
        let first = m.answer(other).unwrap().token();
        m.call(other, Call::sleep(start + 200));
        let bytes = begins_to_write(m, writer, urgent, first);
        m.advance_to(start + 200);
        let answer = Call::reply_receive(m.receive_handle(plain), first, &[]);
        m.call(other, answer);
        m.call(pair.client, with_room(Call::send(m.handle(link), &[2])));
        let next = m.answer(receiver).unwrap().token();
        m.call(receiver, Call::sleep(u64::MAX));
        writes_anew(m, writer, next, &bytes);
    });
}

#[test]
fn rule_10_a_copy_for_a_message_that_was_answered_in_registers_is_none_for_a_guests() {
    is_none_for_the_next_message(true);
}

#[test]
fn rule_10_a_copy_for_a_guest_that_was_answered_is_none_for_its_next_message() {
    for [receives, guest_again] in [[false; 2], [true, false], [false, true], [true; 2]] {
        let (mut pair, [writer, urgent, other]) = pair_beside(&[9, 20, 10], &[]);
        let plain = pair.system.channel(pair.server_process);
        let to_plain = pair.system.connection(pair.client_process, plain, 9);
        both_paths(&pair.system, |m| {
            let start = m.now();
            m.call(urgent, Call::sleep(start + 100));
            m.receive(other, plain);
            pair.receive(m);
            m.call(
                pair.client,
                with_room(Call::send(m.handle(pair.link), &[1])),
            );
            let first = m.answer(pair.server).unwrap().token();
            m.call(pair.server, Call::sleep(start + 200));
            let bytes = begins_to_write(m, writer, urgent, first);
            m.advance_to(start + 200);
            let channel = m.receive_handle(pair.channel);
            if receives {
                m.call(pair.server, Call::reply_receive(channel, first, &[]));
            } else {
                m.call(pair.server, Call::reply(first, &[]));
                m.call(pair.server, Call::receive(channel));
            }
            let (link, server) = match guest_again {
                true => (pair.link, pair.server),
                false => (to_plain, other),
            };
            m.call(pair.client, with_room(Call::send(m.handle(link), &[2])));
            let second = m.answer(server).unwrap().token();
            m.call(server, Call::sleep(u64::MAX));
            writes_anew(m, writer, second, &bytes);
        });
    }
}

/// A signal waits while a thread is to execute a call again: an answer to a guest takes that one's place.
#[test]
#[cfg_attr(feature = "lean", ignore = "no signals")]
fn rule_20_an_answer_to_a_guest_that_takes_the_place_of_another_call_leaves_no_signal_waiting() {
    let (mut pair, [urgent]) = pair_beside(&[20], &[]);
    let (second, link) = pair.another_client(10, 9);
    pair.system.signal_queue(pair.server_process, 2);
    both_paths(&pair.system, |m| {
        let at = m.now() + 100;
        m.call(urgent, Call::action(pair.server_process, u64::MAX));
        m.call(urgent, Call::sleep(at));
        m.call(pair.server, Call::mask(how::SET, 0));
        let send = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, LENGTH);
        pair.receive(m);
        m.call(pair.client, send);
        let first = m.answer(pair.server).unwrap().token();
        pair.receive(m);
        m.send(second, link, &[]);
        let guest = m.answer(pair.server).unwrap().token();
        m.host.interrupt_after(2);
        let read = Call::read(first, SERVER_RAM, LENGTH, 0);
        assert!(!m.call_once(pair.server, read));
        m.advance_to(at);
        m.divert(pair.server);
        let id = m.thread(pair.server).id();
        m.call(urgent, Call::signal_thread(id, TERM, 0));
        m.call(urgent, Call::sleep(u64::MAX));
        assert_eq!(m.handles(pair.server), None);
        m.call(pair.server, Call::reply(guest, &[]));
        m.run(pair.server);
        assert_eq!(m.handles(pair.server), Some(TERM));
    });
}

/// What a wake has kept that an interrupt cut short, and that its caller does not go on with, is none of a later one's. (Where
/// there are signals, a call that takes another one's place is no short one: in kernels without them it is, too.)
fn wakes_two(m: &mut Machine, caller: ThreadId, waiters: &[ThreadId], word: u32) {
    let count = |m: &Machine| {
        let waits = |it: &&ThreadId| m.state(**it) == State::FutexBlocked;
        waiters.iter().filter(waits).count()
    };
    let before = count(m);
    m.call(caller, Call::futex_wake(word, 2));
    assert_eq!(m.answer(caller).unwrap().word(), 2);
    assert_eq!(before - count(m), 2);
}

/// An urgent thread sleeps, the others wait at the word.
fn wait_at(m: &mut Machine, pair: &Pair, threads: &[ThreadId; 5], word: u32) -> u64 {
    let [urgent, waiters @ ..] = threads;
    let start = m.now();
    m.call(*urgent, Call::sleep(start + 100));
    for thread in [pair.server, pair.client] {
        m.call(thread, Call::sleep(start + 10));
    }
    for waiter in waiters {
        m.call(*waiter, Call::futex_wait(word, 0));
    }
    m.advance_to(start + 10);
    start + 100
}

/// `caller` does not go on with a wake that has woken some.
fn begins_to_wake(m: &mut Machine, caller: ThreadId, (urgent, at): (ThreadId, u64), word: u32) {
    m.host.interrupt_after(1);
    assert!(!m.call_once(caller, Call::futex_wake(word, 2)));
    m.advance_to(at);
    m.divert(caller);
    m.call(urgent, Call::sleep(u64::MAX));
}

#[test]
fn rule_19_a_wake_that_its_caller_leaves_for_an_answer_to_a_guest_is_over() {
    let (pair, threads) = pair_beside::<5>(&[20, 9, 9, 9, 9], &[]);
    let word = SERVER_RAM + 0x3000;
    for receives in [false, true] {
        both_paths(&pair.system, |m| {
            let at = wait_at(m, &pair, &threads, word);
            let guest = pair.exchange(m, &[]);
            begins_to_wake(m, pair.server, (threads[0], at), word);
            if receives {
                let channel = m.receive_handle(pair.channel);
                m.call(pair.server, Call::reply_receive(channel, guest, &[]));
                pair.send(m, &[]);
            } else {
                m.call(pair.server, Call::reply(guest, &[]));
            }
            wakes_two(m, pair.server, &threads[1..], word);
        });
    }
}

#[test]
fn rule_19_a_wake_that_its_caller_leaves_to_be_a_guest_is_over() {
    let (pair, threads) = pair_beside::<5>(&[], &[20, 9, 9, 9, 9]);
    let word = CLIENT_RAM + 0x3000;
    both_paths(&pair.system, |m| {
        let at = wait_at(m, &pair, &threads, word);
        pair.receive(m);
        begins_to_wake(m, pair.client, (threads[0], at), word);
        m.call(pair.client, Call::send(m.handle(pair.link), &[]));
        let guest = m.answer(pair.server).unwrap().token();
        m.call(pair.server, Call::reply(guest, &[]));
        m.call(pair.server, Call::sleep(u64::MAX));
        wakes_two(m, pair.client, &threads[1..], word);
    });
}

#[test]
fn rule_10_a_copy_for_a_message_that_was_answered_in_registers_is_none_for_the_next_one() {
    is_none_for_the_next_message(false);
}

/// Who sent parts, and wants the answer in one piece, is answered by each way as who sent them in one: status, bytes, and how
/// many of its own were taken.
fn answers_parts_as_bytes(pair: &Pair) {
    both_paths(&pair.system, |m| {
        let [first, second] = [CLIENT_RAM + 0x100, CLIENT_RAM + 0x200];
        m.host.poke_parts(CLIENT_RAM, &[(first, 8), (second, 24)]);
        m.host.poke(SERVER_RAM + 0x100, &[7; 40]);
        let channel = m.receive_handle(pair.channel);
        let link = m.handle(pair.link);
        let answers: [fn(u32, Token) -> Call; 6] = [
            |_, token| Call::reply(token, &[5, 6]),
            |_, token| Call::reply_bytes(token, SERVER_RAM + 0x100, 40),
            |_, token| Call::reply_error(token, 9),
            |channel, token| Call::reply_receive(channel, token, &[5, 6]).room(SERVER_RAM, 40),
            |channel, token| {
                Call::reply_bytes_receive(channel, token, SERVER_RAM + 0x100, 40)
                    .room(SERVER_RAM, 40)
            },
            |channel, token| Call::reply_error_receive(channel, token, 9).room(SERVER_RAM, 40),
        ];
        for answer in answers {
            let told = [
                Call::send_vector(link, CLIENT_RAM, 2),
                Call::send_bytes(link, first, 32),
            ];
            let [parts, bytes] = told.map(|send| {
                m.host.poke(SERVER_RAM, &[0; 40]);
                if m.state(pair.server) != State::ReceiveBlocked {
                    m.call(pair.server, Call::receive(channel).room(SERVER_RAM, 40));
                }
                m.call(pair.client, send.room(CLIENT_RAM + 0x300, 30));
                let token = m.answer(pair.server).unwrap().token();
                m.call(pair.server, answer(channel, token));
                let it = m.answer(pair.client).unwrap();
                (
                    it.status(),
                    it.length(),
                    it.bytes(),
                    it.accepted(),
                    it.error(),
                )
            });
            assert_eq!(parts, bytes);
            assert_eq!((parts.3, parts.4), (32, None));
        }
    });
}

#[test]
fn rule_06_a_guest_that_sent_parts_is_answered_as_one_that_sent_bytes() {
    answers_parts_as_bytes(&pair());
}

#[test]
fn rule_06_a_client_that_sent_parts_is_answered_as_one_that_sent_bytes() {
    answers_parts_as_bytes(&Pair::new());
}
