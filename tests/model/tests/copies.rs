//! Long copies are interrupted and executed again: rules 3, 4 and 10 under interruption.

use riposte_abi::Error;
use riposte_kernel::{CHUNK, State};
use riposte_model::{Call, ChannelId, Connection, Machine, Pair, System, ThreadId, both_paths};

const SERVER_RAM: u32 = 0x2000_0000;
const CLIENT_RAM: u32 = 0x2001_0000;
const OTHER_RAM: u32 = 0x2002_0000;
const LENGTH: u32 = 2000;
/// Bytes of a copy that many interrupts meet.
const MANY: u32 = 16 * CHUNK;

fn pattern(seed: u8) -> Vec<u8> {
    (0..LENGTH).map(|index| (index as u8) ^ seed).collect()
}

/// The server's call for `LENGTH` bytes.
fn room(m: &Machine, pair: &Pair) -> Call {
    Call::receive(m.receive_handle(pair.channel)).room(SERVER_RAM, LENGTH)
}

#[test]
fn a_long_send_that_is_interrupted_is_executed_again_and_copies_nothing_twice() {
    let pair = Pair::new();
    for chunks in 1..4 {
        both_paths(&pair.system, |m| {
            m.host.poke(CLIENT_RAM, &pattern(1));
            m.call(pair.server, room(m, &pair));
            m.host.interrupt_after(chunks);
            let before = m.host.copied();
            let call = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, LENGTH);
            m.call_once(pair.client, call);
            let mut times = 0;
            while m.repeating() == Some(pair.server) {
                assert_eq!(m.state(pair.client), State::ReplyBlocked);
                times += 1;
                m.repeat(pair.server);
            }
            assert_eq!(times, 1, "it is interrupted once");
            assert_eq!(
                m.answer(pair.server).unwrap().bytes(),
                Some((LENGTH, LENGTH))
            );
            assert!(m.host.peek(SERVER_RAM, LENGTH) == pattern(1));
            assert_eq!(m.host.copied() - before, u64::from(LENGTH));
        });
    }
}

#[test]
fn a_long_receive_that_is_interrupted_is_executed_again() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke(CLIENT_RAM, &pattern(1));
        let call = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, LENGTH);
        m.call(pair.client, call);
        m.host.interrupt_after(2);
        let before = m.host.copied();
        assert!(!m.call_once(pair.server, room(m, &pair)));
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
        assert!(m.repeat(pair.server));
        assert!(m.host.peek(SERVER_RAM, LENGTH) == pattern(1));
        assert_eq!(m.host.copied() - before, u64::from(LENGTH));
    });
}

#[test]
fn a_long_reply_that_is_interrupted_is_executed_again() {
    let pair = Pair::new();
    for waits in [false, true] {
        for chunks in 1..4 {
            both_paths(&pair.system, |m| {
                m.host.poke(SERVER_RAM, &pattern(2));
                pair.receive(m);
                let call = Call::send(m.handle(pair.link), &[]).room(CLIENT_RAM, LENGTH);
                m.call(pair.client, call);
                let token = m.answer(pair.server).unwrap().token();
                let channel = m.receive_handle(pair.channel);
                m.host.interrupt_after(chunks);
                let reply = if waits {
                    Call::reply_bytes_receive(channel, token, SERVER_RAM, LENGTH)
                } else {
                    Call::reply_bytes(token, SERVER_RAM, LENGTH)
                };
                m.call(pair.server, reply);
                let back = m.answer(pair.client).unwrap();
                assert_eq!(back.bytes(), Some((LENGTH, LENGTH)));
                assert!(m.host.peek(CLIENT_RAM, LENGTH) == pattern(2));
                assert_eq!(m.state(pair.server) == State::ReceiveBlocked, waits);
            });
        }
    }
}

#[test]
fn a_long_reply_to_words_tells_both_sides_what_was_taken() {
    const ROOM: u32 = LENGTH / 2;
    let pair = Pair::new();
    for waits in [false, true] {
        both_paths(&pair.system, |m| {
            pair.receive(m);
            let call = Call::send(m.handle(pair.link), &[7]).room(CLIENT_RAM, ROOM);
            m.call(pair.client, call);
            let token = m.answer(pair.server).unwrap().token();
            if waits {
                let channel = m.receive_handle(pair.channel);
                let reply = Call::reply_bytes_receive(channel, token, SERVER_RAM, LENGTH);
                m.call(pair.server, reply);
            } else {
                let reply = Call::reply_bytes(token, SERVER_RAM, LENGTH);
                assert_eq!(m.answer_to(pair.server, reply).word(), ROOM);
            }
            let back = m.answer(pair.client).unwrap();
            assert_eq!(back.bytes(), Some((ROOM, LENGTH)));
            assert_eq!(back.accepted(), 0, "nothing of words is taken");
        });
    }
}

#[test]
fn a_reply_receive_that_is_interrupted_in_its_second_half_has_answered_once() {
    let mut pair = Pair::new();
    let (other, link) = pair.another_client(10, 8);
    both_paths(&pair.system, |m| {
        m.host.poke(OTHER_RAM, &pattern(3));
        let token = pair.exchange(m, &[]);
        let call = Call::send_bytes(m.handle(link), OTHER_RAM, LENGTH);
        m.call(other, call);
        m.host.interrupt_after(1);
        let channel = m.receive_handle(pair.channel);
        let call = Call::reply_receive(channel, token, &[4]).room(SERVER_RAM, LENGTH);
        assert!(!m.call_once(pair.server, call));
        assert_eq!(m.answer(pair.client).unwrap().word(), 4);
        assert!(m.repeat(pair.server));
        let got = m.answer(pair.server).unwrap();
        assert_eq!((got.badge(), got.bytes()), (8, Some((LENGTH, LENGTH))));
        assert!(m.host.peek(SERVER_RAM, LENGTH) == pattern(3));
    });
}

#[test]
fn a_read_and_a_write_that_are_interrupted_are_executed_again() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.host.poke(CLIENT_RAM, &pattern(4));
        pair.receive(m);
        let call = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, LENGTH)
            .room(CLIENT_RAM + LENGTH, LENGTH);
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        m.host.interrupt_after(2);
        m.call(pair.server, Call::read(token, SERVER_RAM, LENGTH, 100));
        assert_eq!(m.answer(pair.server).unwrap().word(), LENGTH - 100);
        assert_eq!(m.host.peek(SERVER_RAM, LENGTH - 100), pattern(4)[100..]);
        m.host.interrupt_after(1);
        m.call(
            pair.server,
            Call::write(token, SERVER_RAM, LENGTH - 100, 100),
        );
        assert_eq!(
            m.host.peek(CLIENT_RAM + LENGTH + 100, LENGTH - 100),
            pattern(4)[100..]
        );
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
    });
}

/// The rest of a call with a long copy takes as long as a chunk, and comes after the interrupt that the last chunk has met.
#[test]
fn the_last_chunk_of_a_copy_is_followed_by_a_look_and_copied_once() {
    let pair = Pair::new();
    let chunks = LENGTH.div_ceil(CHUNK);
    both_paths(&pair.system, |m| {
        m.host.poke(CLIENT_RAM, &pattern(1));
        let call = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, LENGTH);
        m.call(pair.client, call);
        let before = m.host.copied();
        m.host.interrupt_after(chunks);
        assert!(!m.call_once(pair.server, room(m, &pair)));
        assert_eq!(m.host.copied() - before, u64::from(LENGTH));
        m.host.interrupt_after(1);
        assert!(
            m.repeat(pair.server),
            "all is copied, so that nothing looks"
        );
        assert_eq!(m.host.copied() - before, u64::from(LENGTH));
        assert!(m.host.peek(SERVER_RAM, LENGTH) == pattern(1));
    });
}

/// Between its two halves: the client is answered, and the rest of the call is a receive.
#[test]
fn an_answer_of_the_general_path_is_followed_by_a_look_before_the_server_waits() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let send = Call::send(m.handle(pair.link), &[1]).room(CLIENT_RAM, LENGTH);
        m.call(pair.client, send.deadline(1 << 40));
        let token = m.answer(pair.server).unwrap().token();
        m.host.interrupt_after(1);
        let reply = Call::reply_bytes_receive(m.receive_handle(pair.channel), token, SERVER_RAM, 8);
        assert!(!m.call_once(pair.server, reply));
        assert_eq!(m.answer(pair.client).unwrap().bytes(), Some((8, 8)));
        assert!(m.repeat(pair.server));
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
    });
}

/// It costs as much as that of one whose message no interrupt has met: nothing looks in the middle.
#[test]
fn an_only_client_is_answered_at_once_though_an_interrupt_has_cut_its_message_short() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.call(pair.server, room(m, &pair));
        m.host.interrupt_after(1);
        let send = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, LENGTH);
        m.call_once(pair.client, send.room(CLIENT_RAM, LENGTH));
        assert!(m.repeat(pair.server));
        let token = m.answer(pair.server).unwrap().token();
        let channel = m.receive_handle(pair.channel);
        m.host.interrupt_after(1);
        let reply = Call::reply_bytes_receive(channel, token, SERVER_RAM, 8);
        assert!(m.call_once(pair.server, reply));
        assert_eq!(m.answer(pair.client).unwrap().bytes(), Some((8, 8)));
    });
}

#[test]
fn a_message_that_has_begun_is_finished_before_a_more_urgent_one() {
    let mut pair = Pair::new();
    let (urgent, link) = pair.another_client(20, 8);
    for server_first in [true, false] {
        both_paths(&pair.system, |m| {
            let start = m.now();
            m.call(urgent, Call::sleep(start + 10));
            m.host.poke(CLIENT_RAM, &pattern(1));
            m.host.poke(OTHER_RAM, &pattern(2));
            let mut movers = [
                (pair.server, room(m, &pair)),
                (
                    pair.client,
                    Call::send_bytes(m.handle(pair.link), CLIENT_RAM, LENGTH),
                ),
            ];
            if !server_first {
                m.call(pair.server, Call::sleep(start + 5));
                movers.reverse();
            }
            let [(first, call), (second, cut_short)] = movers;
            m.call(first, call);
            if !server_first {
                m.advance_to(start + 5);
            }
            m.host.interrupt_after(2);
            m.call_once(second, cut_short);
            assert_eq!(m.state(pair.client), State::ReplyBlocked);
            m.advance_to(start + 10);
            let call = Call::send_bytes(m.handle(link), OTHER_RAM, LENGTH);
            m.call(urgent, call);
            assert_eq!(m.priority(pair.server), 20);
            assert!(m.repeat(pair.server));
            let got = m.answer(pair.server).unwrap();
            assert_eq!(got.badge(), 7);
            assert!(m.host.peek(SERVER_RAM, LENGTH) == pattern(1));
            let channel = m.receive_handle(pair.channel);
            let wait = Call::reply_receive(channel, got.token(), &[]).room(SERVER_RAM, LENGTH);
            m.call(pair.server, wait);
            assert_eq!(m.answer(pair.server).unwrap().badge(), 8);
            assert!(m.host.peek(SERVER_RAM, LENGTH) == pattern(2));
        });
    }
}

#[test]
fn a_client_that_is_overtaken_in_the_middle_is_received_from_the_beginning() {
    let mut pair = Pair::new();
    let (urgent, link) = pair.another_client(20, 8);
    for (first, second) in [(1, 2), (2, 1), (1, 1)] {
        both_paths(&pair.system, |m| {
            let start = m.now();
            m.call(urgent, Call::sleep(start + 10));
            m.host.poke(CLIENT_RAM, &pattern(1));
            m.host.poke(OTHER_RAM, &pattern(2));
            let call = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, LENGTH);
            m.call(pair.client, call);
            m.host.interrupt_after(first);
            assert!(!m.call_once(pair.server, room(m, &pair)));
            // A more urgent client queues before it, and leaves in the middle of its own message.
            m.advance(10);
            let call = Call::send_bytes(m.handle(link), OTHER_RAM, LENGTH).deadline(start + 20);
            m.call(urgent, call);
            m.host.interrupt_after(second);
            assert!(!m.repeat(pair.server));
            m.advance(10);
            assert_eq!(m.answer(urgent).unwrap().error(), Some(Error::TimedOut));
            m.call(urgent, Call::sleep(start + 30));
            assert!(m.repeat(pair.server));
            assert_eq!(m.answer(pair.server).unwrap().badge(), 7);
            assert!(m.host.peek(SERVER_RAM, LENGTH) == pattern(1));
        });
    }
}

#[test]
fn a_client_whose_deadline_passes_in_the_middle_of_the_reply_leaves_and_the_replier_is_told() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[])
            .room(CLIENT_RAM, LENGTH)
            .deadline(m.now() + 10);
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        m.host.interrupt_after(1);
        let reply = Call::reply_bytes(token, SERVER_RAM, LENGTH);
        assert!(!m.call_once(pair.server, reply));
        m.advance(10);
        assert!(m.repeat(pair.server));
        assert_eq!(
            m.answer(pair.server).unwrap().error(),
            Some(Error::NoSuchClient)
        );
        assert_eq!(
            m.answer(pair.client).unwrap().error(),
            Some(Error::TimedOut)
        );
    });
}

#[test]
fn a_client_that_dies_in_the_middle_of_its_message_leaves_nothing_behind() {
    let mut pair = Pair::new();
    let second = pair.system.thread(pair.client_process, 20);
    both_paths(&pair.system, |m| {
        m.call(second, Call::sleep(m.now() + 10));
        m.call(pair.server, room(m, &pair));
        m.host.interrupt_after(1);
        let call = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, LENGTH);
        m.call_once(pair.client, call);
        m.advance(10);
        m.fault(second);
        assert_eq!(m.state(pair.client), State::Stopped);
        m.repeat(pair.server);
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
    });
}

#[test]
fn a_vector_is_interrupted_between_and_within_parts() {
    let pair = Pair::new();
    for chunks in 1..5 {
        both_paths(&pair.system, |m| {
            m.host.poke(CLIENT_RAM, &pattern(5));
            let parts: Vec<_> = (0..4).map(|n| (CLIENT_RAM + n * 500, 500)).collect();
            m.host.poke_parts(CLIENT_RAM + 0x3000, &parts);
            let room = [(SERVER_RAM, 700), (SERVER_RAM + 700, 1300)];
            m.host.poke_parts(SERVER_RAM + 0x3000, &room);
            let channel = m.receive_handle(pair.channel);
            m.call(
                pair.server,
                Call::receive(channel).room_in_parts(SERVER_RAM + 0x3000, 2),
            );
            m.host.interrupt_after(chunks);
            let call = Call::send_vector(m.handle(pair.link), CLIENT_RAM + 0x3000, 4);
            m.call(pair.client, call);
            while m.repeating() == Some(pair.server) {
                m.repeat(pair.server);
            }
            assert_eq!(
                m.answer(pair.server).unwrap().bytes(),
                Some((LENGTH, LENGTH))
            );
            assert!(m.host.peek(SERVER_RAM, LENGTH) == pattern(5));
        });
    }
}

/// Lets `caller` perform a call that is interrupted whenever two chunks are copied: the bytes that were
/// copied until it was done.
fn copied_under_interrupts(m: &mut Machine, caller: ThreadId, call: Call) -> u64 {
    const CHUNKS: u32 = 2;
    let before = m.host.copied();
    m.host.interrupt_after(CHUNKS);
    m.call_once(caller, call);
    for _ in 0..MANY / CHUNK {
        let Some(caller) = m.repeating() else { break };
        m.host.interrupt_after(CHUNKS);
        m.repeat(caller);
    }
    assert_eq!(m.repeating(), None, "the copy ends");
    m.host.copied() - before
}

#[test]
fn a_copy_that_is_interrupted_again_and_again_copies_nothing_twice() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        m.call(pair.server, Call::receive(channel).room(SERVER_RAM, MANY));
        let send = Call::send_bytes(m.handle(pair.link), CLIENT_RAM, MANY).room(CLIENT_RAM, MANY);
        let copied = copied_under_interrupts(m, pair.client, send);
        assert_eq!(copied, u64::from(MANY));
        let token = m.answer(pair.server).unwrap().token();
        let reply = Call::reply_bytes_receive(channel, token, SERVER_RAM, MANY);
        let copied = copied_under_interrupts(m, pair.server, reply);
        assert_eq!(copied, u64::from(MANY));
        assert_eq!(m.answer(pair.client).unwrap().bytes(), Some((MANY, MANY)));
    });
}

/// Address and length of each.
type Parts = Vec<(u32, u32)>;

/// Lists of parts, of which each is in the way of a copy that goes on for long.
fn shapes() -> Vec<(&'static str, [Parts; 2])> {
    let from = |lengths: &[u32]| parts(CLIENT_RAM + 0x400, lengths);
    let to = |lengths: &[u32]| parts(SERVER_RAM + 0x400, lengths);
    let shifted: Vec<u32> = (0..16)
        .map(|n| if n == 0 { CHUNK } else { 2 * CHUNK })
        .collect();
    let uneven: Vec<u32> = (0..16).map(|n| 1 + 61 * n).collect();
    let empty: Vec<u32> = (0..16)
        .map(|n| if n == 15 { CHUNK - 1 } else { 0 })
        .collect();
    vec![
        ("shifted by a chunk", [from(&[2 * CHUNK; 16]), to(&shifted)]),
        (
            "shorter than a chunk",
            [from(&[CHUNK - 1; 16]), to(&[CHUNK - 3; 16])],
        ),
        ("a byte each", [from(&[1; 16]), to(&[1; 16])]),
        ("a few bytes into one", [from(&[7; 16]), to(&[16 * 7])]),
        (
            "uneven, backwards",
            [
                from(&uneven),
                to(&uneven.iter().rev().copied().collect::<Vec<_>>()),
            ],
        ),
        ("nothing but in the last", [from(&empty), to(&empty)]),
    ]
}

/// Parts of these lengths, the same bytes again and again.
fn parts(address: u32, lengths: &[u32]) -> Parts {
    lengths.iter().map(|length| (address, *length)).collect()
}

fn total(parts: &[(u32, u32)]) -> u32 {
    parts.iter().map(|(_, length)| length).sum()
}

/// The calls by which a list of parts moves to another one: who makes it, and the call. The other side is
/// ready for it.
fn movers(m: &mut Machine, pair: &Pair, lists: &[Parts; 2]) -> Vec<(ThreadId, Call)> {
    let (client_list, server_list) = (CLIENT_RAM + 0x100, SERVER_RAM + 0x100);
    m.host.poke_parts(client_list, &lists[0]);
    m.host.poke_parts(server_list, &lists[1]);
    let counts = lists.each_ref().map(|list| list.len() as u32);
    let channel = m.receive_handle(pair.channel);
    let send = Call::send_vector(m.handle(pair.link), client_list, counts[0]);
    let receive = Call::receive(channel).room_in_parts(server_list, counts[1]);
    vec![(pair.server, receive), (pair.client, send)]
}

/// An interrupt waits from the beginning, and whenever the kernel looks: performs the call until it is done.
/// Returns the most bytes that were copied at one go, and how often the call was executed.
fn under_siege(m: &mut Machine, caller: ThreadId, call: Call) -> (u64, u32) {
    let (mut most, mut times) = (0, 0);
    loop {
        let before = m.host.copied();
        m.host.interrupt_after(0);
        match m.repeating() {
            Some(caller) => m.repeat(caller),
            None => m.call_once(caller, call),
        };
        most = most.max(m.host.copied() - before);
        times += 1;
        assert!(times < 200, "it gets on");
        if m.repeating().is_none() {
            return (most, times);
        }
    }
}

#[test]
fn a_copy_in_parts_gives_way_after_a_chunk_whatever_their_shapes() {
    let pair = Pair::new();
    for (name, lists) in shapes() {
        for server_first in [true, false] {
            both_paths(&pair.system, |m| {
                let mut movers = movers(m, &pair, &lists);
                if !server_first {
                    movers.reverse();
                }
                let length = total(&lists[0]).min(total(&lists[1]));
                let before = m.host.copied();
                for (caller, call) in movers {
                    let (most, _) = under_siege(m, caller, call);
                    assert!(most <= u64::from(CHUNK), "{name}: {most} bytes at one go");
                }
                assert_eq!(
                    m.host.copied() - before,
                    u64::from(length),
                    "{name}: none twice"
                );
                let told = m.answer(pair.server).unwrap().bytes();
                assert_eq!(told, Some((length, total(&lists[0]))), "{name}");
            });
        }
    }
}

#[test]
fn an_answer_in_parts_gives_way_after_a_chunk_whatever_their_shapes() {
    let pair = Pair::new();
    for (name, [to, from]) in shapes() {
        both_paths(&pair.system, |m| {
            let (client_list, server_list) = (CLIENT_RAM + 0x100, SERVER_RAM + 0x100);
            m.host.poke_parts(client_list, &to);
            m.host.poke_parts(server_list, &from);
            pair.receive(m);
            let count = to.len() as u32;
            let call = Call::send(m.handle(pair.link), &[]).room_in_parts(client_list, count);
            m.call(pair.client, call);
            let token = m.answer(pair.server).unwrap().token();
            let channel = m.receive_handle(pair.channel);
            let reply = Call::reply_vector_receive(channel, token, server_list, from.len() as u32)
                .room_in_parts(server_list, from.len() as u32);
            let (most, _) = under_siege(m, pair.server, reply);
            assert!(most <= u64::from(CHUNK), "{name}: {most} bytes at one go");
            let length = total(&from).min(total(&to));
            let told = m.answer(pair.client).unwrap().bytes();
            assert_eq!(told, Some((length, total(&from))), "{name}");
        });
    }
}

#[test]
fn parts_are_looked_up_a_few_at_a_time_and_none_again_and_again() {
    // The lists of both sides are added up, and followed to where the copy stands.
    const MOST: u32 = 3 * 16 * 2 + 2 * 16 * 2 + 2 * CHUNK / 32;
    let pair = Pair::new();
    for (name, lists) in shapes() {
        both_paths(&pair.system, |m| {
            for (caller, call) in movers(m, &pair, &lists) {
                m.host.count_touches();
                let (_, times) = under_siege(m, caller, call);
                let touches = m.host.most_touches();
                assert!(touches <= MOST, "{name}: {touches} between two looks");
                assert!(times <= 2 * 16 + 2 * 16 + 31 + 16, "{name}: {times} times");
            }
        });
    }
}

#[test]
fn a_list_of_parts_is_aligned() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        for offset in 1..4 {
            let list = CLIENT_RAM + 0x100 + offset;
            m.host.poke_parts(list, &[(CLIENT_RAM, 4)]);
            let call = Call::send_vector(m.handle(pair.link), list, 1);
            assert_eq!(m.refused(pair.client, call), Error::BadAddress);
        }
    });
}

/// A system whose client and server have so many threads with these priorities.
fn several(servers: &[u8], clients: &[u8]) -> (System, Vec<ThreadId>, ChannelId, Connection) {
    let mut system = System::new();
    let [server, client] = [(); 2].map(|()| system.process());
    let mut threads = Vec::new();
    for (process, priorities) in [(server, servers), (client, clients)] {
        threads.extend(priorities.iter().map(|at| system.thread(process, *at)));
    }
    let channel = system.channel(server);
    let link = system.connection(client, channel, 7);
    (system, threads, channel, link)
}

#[test]
fn rule_10_parts_that_were_looked_at_for_who_has_left_are_none_of_the_next_receivers() {
    let (system, threads, channel, link) = several(&[6, 5], &[10]);
    let [first, second, client] = threads[..] else {
        unreachable!()
    };
    both_paths(&system, |m| {
        let start = m.now();
        let channel = m.receive_handle(channel);
        let (good, bad) = (SERVER_RAM + 0x100, SERVER_RAM + 0x200);
        let there = (SERVER_RAM, 4);
        m.host.poke_parts(good, &[there; 8]);
        m.host.poke_parts(bad, &[there, (OTHER_RAM, 4)]);
        m.host.poke(CLIENT_RAM, &pattern(6));
        m.call(client, Call::sleep(start + 5));
        let wait = Call::receive(channel).room_in_parts(good, 8);
        m.call(first, wait.deadline(start + 10));
        m.call(second, Call::receive(channel).room_in_parts(bad, 2));
        m.advance_to(start + 5);
        m.host.interrupt_after(0);
        let call = Call::send_bytes(m.handle(link), CLIENT_RAM, 16);
        assert!(!m.call_once(client, call));
        m.advance_to(start + 10);
        let told = m.answer(first).unwrap().error();
        assert_eq!(told, Some(Error::TimedOut));
        m.repeat(client);
        assert_eq!(m.state(client), State::SendBlocked);
        let told = m.answer(second).unwrap().error();
        assert_eq!(told, Some(Error::BadAddress));
        assert_eq!(m.host.peek(SERVER_RAM, 4), [0; 4], "nothing was written");
    });
}

#[test]
fn rule_10_parts_that_were_looked_at_of_who_has_left_are_none_of_the_next_senders() {
    let (system, threads, channel, link) = several(&[10], &[6, 5]);
    let [server, first, second] = threads[..] else {
        unreachable!()
    };
    both_paths(&system, |m| {
        let start = m.now();
        let (good, bad) = (CLIENT_RAM + 0x1000, CLIENT_RAM + 0x1100);
        let there = (CLIENT_RAM, 4);
        m.host.poke_parts(good, &[there; 8]);
        m.host.poke_parts(bad, &[there; 2]);
        m.host.poke(CLIENT_RAM, &pattern(7));
        let link = m.handle(link);
        m.call(server, Call::sleep(start + 5));
        let send = Call::send_vector(link, good, 8);
        m.call(first, send.deadline(start + 10));
        m.call(second, Call::send_vector(link, bad, 2));
        // It was its own when it was sent.
        m.host.poke_parts(bad, &[there, (OTHER_RAM, 4)]);
        m.advance_to(start + 5);
        m.host.interrupt_after(0);
        let receive = Call::receive(m.receive_handle(channel)).room(SERVER_RAM, LENGTH);
        assert!(!m.call_once(server, receive));
        m.advance_to(start + 10);
        let told = m.answer(first).unwrap().error();
        assert_eq!(told, Some(Error::TimedOut));
        m.repeat(server);
        assert_eq!(m.state(server), State::ReceiveBlocked);
        let told = m.answer(second).unwrap().error();
        assert_eq!(told, Some(Error::BadAddress));
        assert_eq!(m.host.peek(SERVER_RAM, 4), [0; 4], "nothing was written");
    });
}
