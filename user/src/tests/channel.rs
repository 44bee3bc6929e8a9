use core::cell::Cell;
use std::rc::Rc;

use riposte_abi::call::operation;
use riposte_abi::{Error, info, notice, register};

use crate::testing::{failed, kernel, token};
use crate::trap::hosted::install;
use crate::{Answer, Channel, Event, Notice, Peer};

const CHANNEL: Channel = Channel::from_handle(0x101);

#[test]
fn a_notice_is_no_message_and_needs_no_answer() {
    for (kind, expected) in [
        (
            notice::CLIENT_DIED,
            Notice::ClientDied { badge: 4, ends: 8 },
        ),
        (
            notice::UNBLOCK,
            Notice::Unblock {
                badge: 4,
                has_signal: false,
                client: token((0x500, 6)).client(),
            },
        ),
        (notice::FAULT, Notice::Fault { process: 8 }),
        (notice::BITS, Notice::Bits { bits: 8 }),
        (99, Notice::Other { kind: 99 }),
    ] {
        kernel(move |_| {
            let mut out = [0; 8];
            out[register::CALL] = 4;
            out[register::WORD0] = kind;
            out[register::WORD1] = 8;
            out[register::INFO] = info::NOTICE | 0x500;
            out[register::GENERATION] = 6;
            out
        });
        let Ok(Event::Notice(notice)) = CHANNEL.receive(&mut []) else {
            panic!("no notice")
        };
        assert_eq!(notice, expected);
    }
}

#[test]
fn try_receive_says_that_nothing_is_there() {
    let calls = kernel(|_| failed(Error::WouldBlock));
    assert_eq!(CHANNEL.try_receive(&mut []).err(), Some(Error::WouldBlock));
    let (registers, extra) = calls.borrow()[0];
    assert_eq!(registers[register::INFO], info::DEADLINE);
    assert_eq!(extra[..2], [0, 0]);
    kernel(|_| failed(Error::BadHandle));
    assert!(matches!(
        CHANNEL.try_receive(&mut []),
        Err(Error::BadHandle)
    ));
}

#[test]
fn a_selective_receive_names_its_peer() {
    let calls = kernel(|_| failed(Error::PeerDied));
    let token = token((0x0708_0900, 3));
    for peer in [Peer::Badge(5), Peer::Client(&token)] {
        let received = CHANNEL.receive_from(peer, &mut []);
        assert!(matches!(received, Err(Error::PeerDied)));
    }
    let words: std::vec::Vec<_> = calls
        .borrow()
        .iter()
        .map(|(registers, _)| crate::words::of(registers))
        .collect();
    assert_eq!(words[0][..2], [info::select::BADGE, 5]);
    assert_eq!(words[1][..3], [info::select::TOKEN, 0x0708_0900, 3]);
    assert!(
        calls
            .borrow()
            .iter()
            .all(|(registers, _)| registers[register::INFO] == info::SELECT)
    );
}

#[test]
fn a_server_goes_on_after_a_client_that_left_or_a_signal_and_stops_at_an_error_of_its_own() {
    let round = Rc::new(Cell::new(0));
    let counter = Rc::clone(&round);
    install(move |registers, _| {
        counter.set(counter.get() + 1);
        let operation = registers[register::CALL] >> 28;
        let mut message = [0; 8];
        message[register::INFO] = 0x1000;
        match counter.get() {
            1 => {
                assert_eq!(operation, operation::RECEIVE);
                message
            }
            2 => {
                assert_eq!(operation, operation::REPLY_RECEIVE);
                failed(Error::NoSuchClient)
            }
            3 => {
                assert_eq!(operation, operation::RECEIVE);
                message
            }
            4 => {
                assert_eq!(operation, operation::REPLY_RECEIVE);
                failed(Error::Interrupted)
            }
            5 => {
                assert_eq!(operation, operation::RECEIVE);
                message
            }
            _ => failed(Error::BadHandle),
        }
    });
    let mut served = 0;
    let error = CHANNEL.serve(&mut [], |event| match event {
        Event::Message(message) => {
            served += 1;
            message.answer_words([served])
        }
        Event::Notice(_) => Answer::later(),
    });
    assert_eq!((error, served, round.get()), (Error::BadHandle, 3, 6));
}
