//! Clients that a server hands on to another one.

use riposte_abi::{Error, notice, signal::how};
use riposte_kernel::{CHUNK, Grants, State};
use riposte_model::{
    Answer, Call, ChannelId, Connection, Machine, ProcessId, System, ThreadId, Token, both_paths,
};

const FRONT_RAM: u32 = 0x2000_0000;
const BACK_RAM: u32 = 0x2001_0000;
const CLIENT_RAM: u32 = 0x2002_0000;
/// Bytes of a copy that many interrupts meet.
const MANY: u32 = 16 * CHUNK;
/// The badge of the client at the front.
const CLIENT: u32 = 7;
/// That of the front at the back.
const FRONT: u32 = 8;

/// A client at 20 of a server in front at 10, which can send to one at the back at 5, and that to the client's own channel.
struct Relay {
    system: System,
    processes: [ProcessId; 3],
    front: ThreadId,
    back: ThreadId,
    client: ThreadId,
    front_channel: ChannelId,
    back_channel: ChannelId,
    to_front: Connection,
    to_back: Connection,
    to_client: Connection,
    to_itself: Connection,
}

fn relay() -> Relay {
    relay_with(None).0
}

/// As [`relay`], with a second thread of this priority at the back.
fn relay_with(second: Option<u8>) -> (Relay, Option<ThreadId>) {
    let mut system = System::new();
    let processes = [(); 3].map(|()| system.process());
    let [fronts, backs, clients] = processes;
    let front = system.thread(fronts, 10);
    let back = system.thread(backs, 5);
    let other = second.map(|priority| system.thread(backs, priority));
    let client = system.thread(clients, 20);
    let front_channel = system.channel(fronts);
    let back_channel = system.channel(backs);
    let client_channel = system.channel(clients);
    let to_front = system.connection(clients, front_channel, CLIENT);
    let to_back = system.connection(fronts, back_channel, FRONT);
    let to_client = system.connection(backs, client_channel, 9);
    let to_itself = system.connection(fronts, front_channel, 10);
    system.windows(fronts, 1, 4096);
    system.pages(clients, 2);
    let relay = Relay {
        system,
        processes,
        front,
        back,
        client,
        front_channel,
        back_channel,
        to_front,
        to_back,
        to_client,
        to_itself,
    };
    (relay, other)
}

impl Relay {
    /// The front waits, and the client makes this call to it: the token.
    fn sent(&self, m: &mut Machine, call: impl FnOnce(u32) -> Call) -> Token {
        m.call(self.client, Call::sleep(m.now() + 1));
        let room = Call::receive(m.receive_handle(self.front_channel)).room(FRONT_RAM, 16);
        m.call(self.front, room);
        m.advance(1);
        let send = call(m.handle(self.to_front));
        m.call(self.client, send);
        m.answer(self.front).expect("a message").token()
    }

    /// The front hands the client on, with these words.
    fn relay(&self, m: &mut Machine, token: Token, words: &[u32]) {
        let relay = Call::relay(m.handle(self.to_back), token, words);
        let done = m.answer_to(self.front, relay);
        assert_eq!((done.error(), done.words()), (None, [0; 5]));
    }

    /// The front does nothing more, and the back receives with this much room.
    fn received(&self, m: &mut Machine, room: u32) -> Answer {
        m.call(self.front, Call::sleep(m.now() + 1_000_000));
        let receive = Call::receive(m.receive_handle(self.back_channel)).room(BACK_RAM, room);
        m.answer_to(self.back, receive)
    }

    /// The back waits with this much room before anybody has sent it anything.
    fn waits_first(&self, m: &mut Machine, room: u32) {
        m.call(self.client, Call::sleep(m.now() + 1));
        m.call(self.front, Call::sleep(m.now() + 1));
        let receive = Call::receive(m.receive_handle(self.back_channel)).room(BACK_RAM, room);
        m.call(self.back, receive);
        m.advance(1);
    }
}

/// A thread that is to make its call again does, until it has an answer.
fn settled(m: &mut Machine, thread: ThreadId) -> Answer {
    while m.must_repeat(thread) {
        m.repeat(thread);
    }
    m.answer(thread).expect("it has an answer")
}

#[test]
fn words_are_the_relaying_servers_and_the_answer_is_the_other_ones() {
    let it = relay();
    both_paths(&it.system, |m| {
        let token = it.sent(m, |handle| Call::send(handle, &[1, 2]));
        it.relay(m, token, &[3, 4, 5]);
        assert_eq!(m.state(it.client), State::SendBlocked);
        let got = it.received(m, 0);
        assert_eq!((got.badge(), got.length()), (FRONT, 12));
        assert_eq!(got.words()[..3], [3, 4, 5]);
        assert_ne!(got.token(), token);
        m.call(it.back, Call::reply(got.token(), &[6]));
        assert_eq!(m.answer(it.client).unwrap().word(), 6);
    });
}

#[test]
fn bytes_are_the_clients_as_it_has_sent_them_and_can_be_read_and_written() {
    let it = relay();
    both_paths(&it.system, |m| {
        m.host.poke(CLIENT_RAM, b"abcdefghijklmnopqrstuvwxyz");
        let token = it.sent(m, |handle| {
            Call::send_bytes(handle, CLIENT_RAM, 26).room(CLIENT_RAM + 64, 8)
        });
        it.relay(m, token, &[]);
        let got = it.received(m, 4);
        assert_eq!((got.badge(), got.bytes()), (FRONT, Some((4, 26))));
        assert_eq!(m.host.peek(BACK_RAM, 4), b"abcd");
        let rest = Call::read(got.token(), BACK_RAM, 22, 4);
        assert_eq!(m.answer_to(it.back, rest).word(), 22);
        assert_eq!(m.host.peek(BACK_RAM, 22), b"efghijklmnopqrstuvwxyz");
        m.host.poke(BACK_RAM, b"12345678");
        let answer = Call::reply_bytes(got.token(), BACK_RAM, 8);
        m.call(it.back, answer);
        assert_eq!(m.answer(it.client).unwrap().accepted(), 4);
        assert_eq!(m.host.peek(CLIENT_RAM + 64, 8), b"12345678");
    });
}

#[test]
fn a_server_that_waits_takes_the_message_at_once() {
    let it = relay();
    for bytes in [false, true] {
        both_paths(&it.system, |m| {
            m.host.poke(CLIENT_RAM, b"abcd");
            it.waits_first(m, 4);
            let token = it.sent(m, |handle| match bytes {
                true => Call::send_bytes(handle, CLIENT_RAM, 4),
                false => Call::send(handle, &[1]),
            });
            it.relay(m, token, &[2]);
            assert_eq!(m.priority(it.back), 20);
            let got = settled(m, it.back);
            assert_eq!(
                (got.badge(), m.state(it.client)),
                (FRONT, State::ReplyBlocked)
            );
            match bytes {
                true => assert_eq!(m.host.peek(BACK_RAM, 4), b"abcd"),
                false => assert_eq!(got.word(), 2),
            }
            m.call(it.back, Call::reply(got.token(), &[3]));
            assert_eq!(m.answer(it.client).unwrap().word(), 3);
        });
    }
}

#[test]
fn the_clients_priority_goes_with_it() {
    let it = relay();
    both_paths(&it.system, |m| {
        // It is known who receives there.
        m.call(it.client, Call::sleep(m.now() + 2));
        m.call(it.front, Call::sleep(m.now() + 2));
        let receive = Call::receive(m.receive_handle(it.back_channel));
        m.call(it.back, receive.deadline(m.now() + 1));
        m.advance(2);
        let token = it.sent(m, |handle| Call::send(handle, &[]));
        assert_eq!((m.priority(it.front), m.priority(it.back)), (20, 5));
        it.relay(m, token, &[]);
        assert_eq!((m.priority(it.front), m.priority(it.back)), (10, 20));
        assert_eq!(m.current(), it.back);
    });
}

#[test]
fn who_has_handed_a_client_on_cannot_answer_it() {
    let it = relay();
    both_paths(&it.system, |m| {
        let token = it.sent(m, |handle| Call::send(handle, &[]));
        it.relay(m, token, &[]);
        let relay = Call::relay(m.handle(it.to_back), token, &[]);
        for call in [
            Call::reply(token, &[1]),
            Call::read(token, FRONT_RAM, 1, 0),
            relay,
        ] {
            assert_eq!(m.refused(it.front, call), Error::NoSuchClient);
        }
    });
}

#[test]
fn a_relay_that_is_refused_leaves_the_client_where_it_is() {
    let mut it = relay();
    let stranger = it.system.process();
    let other = it.system.thread(stranger, 30);
    it.system.grant(
        stranger,
        Grants {
            shutdown: false,
            supervisor: false,
            inspect: false,
            relay: false,
        },
    );
    let own = it.system.channel(stranger);
    let onwards = it.system.connection(stranger, it.back_channel, 1);
    let inwards = it.system.connection(it.processes[2], own, 1);
    both_paths(&it.system, |m| {
        m.call(other, Call::sleep(m.now() + 100));
        let token = it.sent(m, |handle| Call::send(handle, &[1]));
        let back = m.handle(it.to_back);
        let channel = m.receive_handle(it.front_channel);
        let mut long = Call::relay(back, token, &[]);
        long.registers[riposte_abi::register::INFO] |= 21;
        for (call, error) in [
            (Call::relay(back ^ 0x100, token, &[]), Error::BadHandle),
            (Call::relay(channel, token, &[]), Error::NotPermitted),
            (long, Error::BadArgument),
        ] {
            assert_eq!(m.refused(it.front, call), error);
        }
        m.call(it.front, Call::reply(token, &[2]));
        assert_eq!(m.answer(it.client).unwrap().word(), 2);
        // Who may not.
        m.call(it.client, Call::sleep(m.now() + 1_000));
        m.call(it.front, Call::sleep(m.now() + 1_000));
        m.advance(100);
        m.receive(other, own);
        m.advance(1_000);
        m.send(it.client, inwards, &[]);
        let token = m.answer(other).unwrap().token();
        let relay = Call::relay(m.handle(onwards), token, &[]);
        assert_eq!(m.refused(other, relay), Error::NotPermitted);
        m.call(other, Call::reply(token, &[3]));
        assert_eq!(m.answer(it.client).unwrap().word(), 3);
    });
}

#[test]
fn the_client_waits_for_who_has_it_now() {
    let it = relay();
    both_paths(&it.system, |m| {
        it.waits_first(m, 0);
        let token = it.sent(m, |handle| Call::send(handle, &[1]));
        it.relay(m, token, &[]);
        settled(m, it.back);
        let send = Call::send(m.handle(it.to_client), &[]);
        assert_eq!(m.refused(it.back, send), Error::Deadlock);
    });
}

#[test]
fn deadlock_is_found_before_anything_has_changed() {
    let it = relay();
    both_paths(&it.system, |m| {
        let token = it.sent(m, |handle| Call::send(handle, &[1]));
        m.call(it.front, Call::sleep(m.now() + 100));
        m.send(it.back, it.to_client, &[]);
        assert_eq!(m.state(it.back), State::SendBlocked);
        m.advance(100);
        let relay = Call::relay(m.handle(it.to_back), token, &[]);
        assert_eq!(m.refused(it.front, relay), Error::Deadlock);
        m.call(it.front, Call::reply(token, &[2]));
        assert_eq!(m.answer(it.client).unwrap().word(), 2);
    });
}

#[test]
fn a_client_that_has_lent_memory_is_not_handed_on() {
    let mut it = relay();
    it.system.notify_unblock(it.front_channel);
    both_paths(&it.system, |m| {
        let lent = riposte_model::pages(2).base;
        let token = it.sent(m, |handle| Call::lend(handle, lent, 0x400, &[1, 2, 3]));
        let relay = Call::relay(m.handle(it.to_back), token, &[]);
        assert_eq!(m.refused(it.front, relay), Error::CannotLend);
        m.call(it.front, Call::reply(token, &[2]));
        assert_eq!(m.answer(it.client).unwrap().word(), 2);
    });
}

#[test]
fn a_deadline_goes_on_wherever_the_client_is() {
    let it = relay();
    for received in [false, true] {
        both_paths(&it.system, |m| {
            let until = m.now() + 50;
            let token = it.sent(m, |handle| Call::send(handle, &[]).deadline(until));
            it.relay(m, token, &[]);
            let mut got = None;
            if received {
                got = Some(it.received(m, 0).token());
            }
            m.advance(60);
            assert_eq!(m.answer(it.client).unwrap().error(), Some(Error::TimedOut));
            if let Some(token) = got {
                m.call(it.client, Call::sleep(m.now() + 1_000_000));
                assert_eq!(
                    m.refused(it.back, Call::reply(token, &[])),
                    Error::NoSuchClient
                );
            }
        });
    }
}

#[test]
fn a_client_whose_server_was_asked_to_let_it_go_leaves() {
    let mut it = relay();
    it.system.notify_unblock(it.front_channel);
    for told in [false, true] {
        both_paths(&it.system, |m| {
            let until = m.now() + 50;
            let token = it.sent(m, |handle| Call::send(handle, &[]).deadline(until));
            m.advance(60);
            assert_eq!(m.state(it.client), State::ReplyBlocked);
            let channel = m.receive_handle(it.front_channel);
            if told {
                let got = m.answer_to(it.front, Call::receive(channel));
                assert_eq!(got.notice(), Some(notice::UNBLOCK));
            }
            let relay = Call::relay(m.handle(it.to_back), token, &[]);
            m.call(it.front, relay);
            assert_eq!(m.answer(it.client).unwrap().error(), Some(Error::TimedOut));
            assert!(!m.channel(it.front_channel).has_notices());
            m.call(it.client, Call::sleep(m.now() + 1_000_000));
            assert_eq!(m.answer(it.front).unwrap().error(), None);
        });
    }
}

#[test]
fn the_deaths_of_all_three_are_told() {
    let it = relay();
    for received in [false, true] {
        // The back's, while the message waits there or is served.
        both_paths(&it.system, |m| {
            let token = it.sent(m, |handle| Call::send(handle, &[]));
            it.relay(m, token, &[]);
            if received {
                it.received(m, 0);
            } else {
                m.call(it.front, Call::sleep(m.now() + 1_000));
            }
            m.fault(it.back);
            assert_eq!(
                m.answer(it.client).unwrap().error(),
                Some(Error::ServerDied)
            );
        });
        // The front's, which concerns nobody.
        both_paths(&it.system, |m| {
            let token = it.sent(m, |handle| Call::send(handle, &[]));
            it.relay(m, token, &[]);
            let receive = Call::receive(m.receive_handle(it.back_channel));
            if received {
                m.call(it.front, Call::sleep(m.now() + 5));
                m.call(it.back, receive);
                m.call(it.back, Call::sleep(m.now() + 10));
                m.advance(5);
            }
            m.fault(it.front);
            if received {
                m.advance(10);
            } else {
                m.call(it.back, receive);
            }
            let token = m.token_of(it.client);
            m.call(it.back, Call::reply(token, &[1]));
            assert_eq!(m.answer(it.client).unwrap().word(), 1);
        });
    }
}

#[test]
fn a_copy_that_is_cut_short_is_gone_on_with_where_the_client_was_handed_on_to() {
    let it = relay();
    both_paths(&it.system, |m| {
        m.host.poke(CLIENT_RAM, &[5; MANY as usize]);
        it.waits_first(m, MANY);
        let token = it.sent(m, |handle| Call::send_bytes(handle, CLIENT_RAM, MANY));
        it.relay(m, token, &[]);
        m.host.interrupt_after(3);
        assert!(!m.repeat(it.back));
        assert_eq!(m.state(it.client), State::ReplyBlocked);
        let got = settled(m, it.back);
        assert_eq!((got.badge(), got.bytes()), (FRONT, Some((MANY, MANY))));
        assert!(m.host.peek(BACK_RAM, MANY) == [5; MANY as usize]);
    });
}

#[test]
fn a_client_may_be_handed_back_to_where_it_was() {
    let it = relay();
    both_paths(&it.system, |m| {
        let token = it.sent(m, |handle| Call::send(handle, &[1]));
        let relay = Call::relay(m.handle(it.to_itself), token, &[2]);
        m.call(it.front, relay);
        let receive = Call::receive(m.receive_handle(it.front_channel));
        let got = m.answer_to(it.front, receive);
        assert_eq!((got.badge(), got.word()), (10, 2));
        m.call(it.front, Call::reply(got.token(), &[3]));
        assert_eq!(m.answer(it.client).unwrap().word(), 3);
    });
}

#[test]
fn whose_signal_waits_is_interrupted_and_not_begun_with() {
    let mut it = relay();
    it.system.notify_unblock(it.front_channel);
    let [.., clients] = it.processes;
    let senders = it.system.process();
    let sender = it.system.thread(senders, 30);
    let position = it.system.signal(senders, clients);
    it.system.signal_queue(clients, 1);
    for waits_first in [false, true] {
        both_paths(&it.system, |m| {
            m.call(sender, Call::sleep(m.now() + 100));
            m.call(it.client, Call::action(clients, !1));
            m.call(it.client, Call::mask(how::SET, 0));
            if waits_first {
                it.waits_first(m, 0);
            }
            let token = it.sent(m, |handle| Call::send(handle, &[1]));
            m.call(it.front, Call::sleep(m.now() + 200));
            m.advance(100);
            m.call(sender, Call::signal(position, 15, 0));
            m.call(sender, Call::sleep(m.now() + 1_000_000));
            assert_eq!(m.state(it.client), State::ReplyBlocked);
            m.advance(200);
            m.run(it.front);
            m.call_once(it.front, Call::relay(m.handle(it.to_back), token, &[]));
            assert!(m.handler(it.client).is_some(), "it is interrupted");
            let expected = if waits_first {
                State::ReceiveBlocked
            } else {
                State::Ready
            };
            assert_eq!(m.state(it.back), expected);
        });
    }
}

#[test]
fn a_client_whose_receiver_fails_does_not_wait_for_itself() {
    let (mut it, other) = relay_with(Some(15));
    let other = other.unwrap();
    let [_, backs, clients] = it.processes;
    // The other thread serves somebody, and sends to the client.
    let strangers = it.system.process();
    let stranger = it.system.thread(strangers, 30);
    let to_other = it.system.connection(strangers, it.back_channel, 11);
    let own = it.system.channel(clients);
    let inwards = it.system.connection(backs, own, 12);
    // An interrupt waits at any look.
    for look in 1..4 {
        both_paths(&it.system, |m| {
            m.call(stranger, Call::sleep(m.now() + 1));
            m.call(it.client, Call::sleep(m.now() + 10));
            m.receive(other, it.back_channel);
            m.call(it.front, Call::sleep(m.now() + 5));
            let bad = Call::receive(m.receive_handle(it.back_channel)).room(CLIENT_RAM, 8);
            m.call(it.back, bad);
            m.advance(1);
            m.send(stranger, to_other, &[]);
            m.call(other, Call::sleep(m.now() + 20));
            m.advance(10);
            let token = it.sent(m, |handle| Call::send_bytes(handle, CLIENT_RAM, 8));
            let relay = Call::relay(m.handle(it.to_back), token, &[]);
            m.call(it.front, relay);
            m.advance(20);
            m.send(other, inwards, &[]);
            assert_eq!(m.state(other), State::SendBlocked);
            m.run(it.back);
            m.host.interrupt_after(look);
            m.repeat(it.back);
            m.finish();
            assert_eq!(m.answer(it.back).unwrap().error(), Some(Error::BadAddress));
            assert_eq!(m.answer(it.client).unwrap().error(), Some(Error::Deadlock));
        });
    }
}
