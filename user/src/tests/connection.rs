use std::vec::Vec;

use riposte_abi::call::{number, operation};
use riposte_abi::{Error, info, register};

use crate::testing::{BADGE, failed, kernel, loopback};
use crate::{Connection, Deadline, Instant, Part, PartMut, Status, Token};

#[test]
fn short_messages_travel_in_words_and_longer_ones_in_memory() {
    let calls = kernel(|_| [0; 8]);
    let connection = Connection::from_handle(5);
    for length in [0, 1, 20, 21] {
        connection.send(&[7; 21][..length], &mut []).unwrap();
    }
    let calls = calls.borrow();
    let operations: Vec<u32> = calls
        .iter()
        .map(|(registers, _)| registers[register::CALL] >> 28)
        .collect();
    assert_eq!(
        operations,
        [
            operation::SEND,
            operation::SEND,
            operation::SEND,
            operation::SEND_BYTES
        ]
    );
    let infos: Vec<u32> = calls
        .iter()
        .map(|(registers, _)| registers[register::INFO])
        .collect();
    assert_eq!(infos, [0, 1, 20, 0]);
}

#[test]
fn packed_words_are_at_most_twenty_bytes_whoever_says_how_many() {
    let calls = kernel(|_| [0; 8]);
    let connection = Connection::from_handle(5);
    for length in [0, 9, 20] {
        let request = ([1, 2, 3, 4, 5], length);
        let reply = connection.send_packed_until(request, &mut [], Deadline::None);
        assert_eq!(reply.unwrap().accepted, length);
    }
    // What is more would be flags.
    for length in [21, 1 << 8, usize::MAX] {
        let request = ([1, 2, 3, 4, 5], length);
        let reply = connection.send_packed_until(request, &mut [], Deadline::None);
        assert_eq!(reply, Err(Error::BadArgument));
        let reply = connection.send_packed_for_handle_until(request, Deadline::None);
        assert_eq!(reply, Err(Error::BadArgument));
    }
    let request = ([1, 2, 3, 4, 5], 9);
    let reply = connection.send_packed_for_handle_until(request, Deadline::None);
    assert_eq!(
        reply.map(|(reply, handle)| (reply.len, handle)),
        Ok((0, None))
    );
    let calls = calls.borrow();
    let infos = calls.iter().map(|(registers, _)| registers[register::INFO]);
    let accepting = info::ACCEPT_HANDLE | 9;
    assert_eq!(infos.collect::<Vec<_>>(), [0, 9, 20, accepting]);
}

#[test]
fn words_that_are_not_sent_are_zero() {
    let calls = kernel(|_| [0; 8]);
    let connection = Connection::from_handle(5);
    connection.send_words([0x55]).unwrap();
    connection.send(&[0x55, 0, 0, 0], &mut []).unwrap();
    connection.send(&[9; 30], &mut []).unwrap();
    let calls = calls.borrow();
    assert_eq!(crate::words::of(&calls[0].0), [0x55, 0, 0, 0, 0]);
    assert_eq!(crate::words::of(&calls[1].0), [0x55, 0, 0, 0, 0]);
    assert_eq!(crate::words::of(&calls[2].0)[2..], [0; 3]);
}

#[test]
fn both_sides_learn_both_lengths_whatever_they_are() {
    for sent in [0_usize, 1, 4, 19, 20, 21, 100] {
        for answered in [0_usize, 3, 20, 21, 100] {
            for (room, capacity) in [(0, 0), (10, 10), (50, 50), (200, 200)] {
                let request: Vec<u8> = (0..sent).map(|byte| byte as u8 + 1).collect();
                let expected = request.clone();
                let connection = loopback(room, move |message| {
                    assert_eq!(message.badge(), BADGE);
                    assert_eq!(message.offered(), sent);
                    // What fits in registers needs no buffer.
                    let accepted = if sent <= 20 { sent } else { sent.min(room) };
                    assert_eq!(message.accepted(), accepted);
                    assert_eq!(message.bytes(), &expected[..accepted]);
                    const ANSWER: [u8; 100] = [0xA5; 100];
                    message.answer(&ANSWER[..answered]).with_status(Status(6))
                });
                let mut buffer = [0; 200];
                let reply = connection.send(&request, &mut buffer[..capacity]).unwrap();
                let accepted = if sent <= 20 { sent } else { sent.min(room) };
                assert_eq!((reply.status, reply.accepted), (Status(6), accepted));
                assert_eq!(
                    (reply.offered, reply.len),
                    (answered, answered.min(capacity))
                );
                assert_eq!(buffer[..reply.len], [0xA5; 200][..reply.len]);
                assert!(
                    buffer[reply.len..].iter().all(|byte| *byte == 0),
                    "an overflow"
                );
            }
        }
    }
}

#[test]
fn a_message_in_memory_shows_its_first_words_and_a_short_one_none_of_its_lengths() {
    let connection = loopback(64, |message| {
        let words = message.words();
        message.answer_words(words)
    });
    let reply = connection.send_words([1, 2]).unwrap();
    assert_eq!((reply.words, reply.len), ([1, 2, 0, 0, 0], 20));
    let mut words = [0; 20];
    connection.send(&[1; 30], &mut words).unwrap();
    assert_eq!(words, [1; 20]);
    let silent = loopback(0, |message| {
        assert_eq!(message.words(), [0; 5]);
        message.answer_words([])
    });
    silent.send(&[1; 30], &mut []).unwrap();
}

#[test]
fn a_long_answer_without_a_buffer_says_its_length_and_shows_no_word() {
    let connection = loopback(0, |message| message.answer(&[3; 44]));
    let reply = connection.send_words([]).unwrap();
    assert_eq!((reply.len, reply.offered, reply.words), (0, 44, [0; 5]));
}

#[test]
fn parts_are_gathered_in_order_and_scattered_in_order() {
    let connection = loopback(64, |message| {
        let (token, buffer) = message.into_buffer();
        let buffer: &[u8] = buffer;
        crate::Answer::bytes(token, buffer)
    });
    for (first, second) in [
        (&b"abc"[..], &b"defgh"[..]),
        (&b""[..], &b"0123456789abcdefghijkl"[..]),
    ] {
        let whole: Vec<u8> = [first, second].concat();
        let (mut left, mut right) = ([0; 2], [0; 40]);
        let reply = connection
            .send_vector(
                &[Part::new(first), Part::new(second)],
                &mut [PartMut::new(&mut left), PartMut::new(&mut right)],
            )
            .unwrap();
        assert_eq!((reply.len, reply.offered), (whole.len(), whole.len()));
        assert_eq!(left, whole[..2]);
        assert_eq!(right[..whole.len() - 2], whole[2..]);
    }
}

#[test]
fn one_part_is_its_bytes() {
    let calls = kernel(|_| [0; 8]);
    let connection = Connection::from_handle(5);
    let (request, mut answer) = ([7; 30], [0; 40]);
    let answer = &mut [PartMut::new(&mut answer)];
    let [only, none] = [Part::new(&request), Part::new(&[])];
    connection.send_vector(&[only], answer).unwrap();
    connection.send_vector(&[only, none], answer).unwrap();
    connection.send_vector(&[], &mut []).unwrap();
    let calls = calls.borrow();
    let told: Vec<_> = calls
        .iter()
        .map(|(registers, extra)| {
            let operation = registers[register::CALL] >> 28;
            let flags = registers[register::INFO] & info::VECTOR;
            (operation, registers[register::WORD1], flags, extra[3])
        })
        .collect();
    let expected = [
        (operation::SEND_BYTES, 30, 0, 40),
        (operation::SEND_VECTOR, 2, 0, 40),
        (operation::SEND_VECTOR, 0, 0, 0),
    ];
    assert_eq!(told, expected);
}

/// Requests in three pieces, about as long as what goes in registers, and what is put together.
fn in_pieces() -> impl Iterator<Item = [Vec<u8>; 3]> {
    let bytes: Vec<u8> = (0..200).collect();
    let lengths = [
        (0, 0, 0),
        (8, 0, 3),
        (8, 12, 0),
        (8, 13, 0),
        (8, 135, 1),
        (8, 135, 2),
        (0, 200, 0),
    ];
    let piece = move |length: usize| bytes.iter().rev().take(length).copied().collect();
    lengths
        .into_iter()
        .map(move |(a, b, c)| [piece(a), piece(b), piece(c)])
}

#[test]
fn a_request_in_pieces_arrives_as_it_would_in_one() {
    let connection = loopback(512, |message| {
        let (token, buffer) = message.into_buffer();
        let buffer: &[u8] = buffer;
        crate::Answer::bytes(token, buffer)
    });
    for pieces in in_pieces() {
        let mut answer = [0; 300];
        let told = pieces.each_ref().map(|it| &it[..]);
        let sent = connection.send_pieces_until(told, &mut answer, Deadline::None);
        let (sent, whole) = (sent.unwrap(), pieces.concat());
        assert_eq!(sent.accepted, whole.len(), "{pieces:?}");
        assert_eq!(answer[..sent.len], whole);
    }
}

#[test]
fn few_bytes_in_pieces_are_put_together_before_they_are_sent() {
    let calls = kernel(|_| [0; 8]);
    let connection = Connection::from_handle(5);
    for pieces in in_pieces() {
        let told = pieces.each_ref().map(|it| &it[..]);
        connection
            .send_pieces_until(told, &mut [], Deadline::None)
            .unwrap();
    }
    let calls = calls.borrow();
    let operations = calls
        .iter()
        .map(|(registers, _)| registers[register::CALL] >> 28);
    for (pieces, operation) in in_pieces().zip(operations) {
        let expected = match pieces.concat().len() {
            0..=20 => operation::SEND,
            21..=144 => operation::SEND_BYTES,
            _ => operation::SEND_VECTOR,
        };
        assert_eq!(operation, expected, "{pieces:?}");
    }
    assert_eq!(calls.len(), in_pieces().count());
}

#[test]
fn an_answer_in_pieces_goes_in_one_if_it_has_few_bytes() {
    let calls = kernel(|_| [0; 8]);
    for pieces in in_pieces() {
        let told = pieces.each_ref().map(|it| &it[..]);
        Token::of_answer(0, 1).reply_pieces(told).unwrap();
    }
    let calls = calls.borrow();
    for (pieces, (registers, _)) in in_pieces().zip(calls.iter()) {
        let expected = match pieces.concat().len() {
            0..=20 => number::REPLY,
            21..=144 => number::REPLY_BYTES,
            _ => number::REPLY_VECTOR,
        };
        assert_eq!(registers[register::CALL], expected, "{pieces:?}");
    }
    assert_eq!(calls.len(), in_pieces().count());
}

#[test]
fn kernel_errors_never_look_like_a_status() {
    kernel(|_| failed(Error::ServerDied));
    let connection = Connection::from_handle(5);
    assert_eq!(connection.send_words([1]), Err(Error::ServerDied));
    assert_eq!(connection.send(b"x", &mut [0; 30]), Err(Error::ServerDied));
    kernel(|_| {
        let mut out = [0; 8];
        out[register::CALL] = Error::ServerDied as u32;
        out
    });
    assert_eq!(connection.send_words([1]).unwrap().status, Status(32));
}

#[test]
fn deadlines_reach_the_kernel_as_they_are_meant() {
    let calls = kernel(|_| [0; 8]);
    let connection = Connection::from_handle(5);
    let moment = Instant::from_nanos(0x1_0000_0002);
    for deadline in [Deadline::None, Deadline::Immediate, Deadline::At(moment)] {
        connection.send_words_until([], deadline).unwrap();
    }
    connection
        .send_words_until([], Deadline::At(Instant::from_nanos(0)))
        .unwrap();
    let seen: Vec<_> = calls
        .borrow()
        .iter()
        .map(|(registers, extra)| {
            (
                registers[register::INFO] & info::DEADLINE,
                extra[0],
                extra[1],
            )
        })
        .collect();
    let flag = info::DEADLINE;
    // A moment that has passed is not "do not block", which is another error.
    assert_eq!(seen, [(0, 0, 0), (flag, 0, 0), (flag, 2, 1), (flag, 1, 0)]);
}

#[test]
fn reconnecting_opens_the_manifests_slot_again() {
    let mut connection = loopback(0, |message| message.answer_words([]));
    let calls = kernel(|registers| {
        let mut out = [0; 8];
        assert_eq!(registers[register::CALL], number::CONNECT);
        out[register::WORD0] = 0x203;
        out
    });
    connection.reconnect().unwrap();
    assert_eq!(connection.handle(), 0x203);
    assert_eq!(calls.borrow()[0].0[register::WORD0], 3, "the slot");
    assert_eq!(
        Connection::from_handle(1).reconnect(),
        Err(Error::BadHandle)
    );
}
