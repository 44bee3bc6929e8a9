use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::vec;
use std::vec::Vec;

use riposte_abi::call::{number, operation};
use riposte_abi::{Error, info, register};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::testing::{BADGE, failed, kernel, loopback, loopback_with, pages};
use crate::trap::hosted::{address, install};
use crate::{
    Answer, Connection, Deadline, GiveError, Instant, Lent, LentMut, Memory, Message, Moved, Pages,
    Status, ViewError,
};

/// Room for a copy of 4096 bytes.
const ROOM: usize = 4096 + Memory::COPY_HEADER;

/// A kernel that opens everything.
fn willing(_: u32) -> Option<Error> {
    None
}

/// A kernel that opens nothing, but gives back what is home.
fn refusing(call: u32) -> Option<Error> {
    (call != number::RECLAIM).then_some(Error::CannotLend)
}

fn lent(message: Message<'_>) -> Lent<'_> {
    match message.into_memory() {
        Ok(Memory::Lent(lent)) => lent,
        other => panic!("not lent: {other:?}"),
    }
}

fn lent_mut(message: Message<'_>) -> LentMut<'_> {
    match message.into_memory() {
        Ok(Memory::LentMut(lent)) => lent,
        other => panic!("not lent mutably: {other:?}"),
    }
}

fn moved(message: Message<'_>) -> (Moved<'_>, crate::Token) {
    match message.into_memory() {
        Ok(Memory::Moved(delivery)) => {
            assert_eq!((delivery.badge(), delivery.words()), (BADGE, [7, 8, 9]));
            delivery.into_parts()
        }
        other => panic!("not moved: {other:?}"),
    }
}

#[test]
fn lent_memory_is_the_clients_own_or_visibly_a_copy_of_it() {
    for copied in [false, true] {
        let memory: Vec<u8> = (0..4096_u32).map(|byte| byte as u8).collect();
        let place = memory.as_ptr().addr();
        let refuse = if copied { refusing } else { willing };
        let (connection, _) = loopback_with(refuse, ROOM, move |message| {
            let lent = lent(message);
            assert_eq!((lent.badge(), lent.words()), (BADGE, [1, 2, 3]));
            assert_eq!(lent.is_copy(), copied);
            let at = lent.with(|bytes| bytes.as_ptr().addr());
            assert_eq!(at == place, !copied);
            assert_eq!(lent.len(), 4096);
            let sum = lent.with(|bytes| bytes.iter().map(|byte| u32::from(*byte)).sum());
            lent.answer_words([sum, 5])
        });
        let reply = connection.lend(&memory, [1, 2, 3]).unwrap();
        let sum = memory.iter().map(|byte| u32::from(*byte)).sum();
        assert_eq!((reply.status, reply.words), (Status::OK, [sum, 5, 0, 0, 0]));
        assert_eq!((reply.len, reply.offered), (8, 8));
        assert_eq!(reply.copied, copied.then_some(4096));
    }
}

#[test]
fn what_the_server_writes_to_memory_lent_mutably_is_there_after_the_answer() {
    for refuse in [willing, refusing] {
        let mut memory = vec![3_u8; 4096];
        let (connection, _) = loopback_with(refuse, ROOM, |message| {
            let mut lent = lent_mut(message);
            assert_eq!((lent.badge(), lent.words()), (BADGE, [1, 0, 3]));
            lent.with_mut(|bytes| {
                bytes.iter_mut().for_each(|byte| *byte += 1);
                bytes[4095] = 99;
            });
            let [a, b, c] = lent.words();
            lent.answer_words([a, b, c, 4, 5]).with_status(Status(6))
        });
        let reply = connection.lend_mut(&mut memory, [1, 0, 3]).unwrap();
        assert_eq!((reply.status, reply.words), (Status(6), [1, 0, 3, 4, 5]));
        assert_eq!((reply.len, reply.offered), (20, 20));
        assert!(memory[..4095].iter().all(|byte| *byte == 4));
        assert_eq!(memory[4095], 99);
    }
}

#[test]
fn any_length_is_carried_also_none() {
    for length in [0, 1, 7, 31, 32, 33, 100] {
        let mut memory = vec![1_u8; length];
        for refuse in [willing, refusing] {
            let (connection, _) = loopback_with(refuse, ROOM, |message| {
                let mut lent = lent_mut(message);
                lent.with_mut(|bytes| bytes.fill(9));
                let length = lent.len() as u32;
                lent.answer_words([length])
            });
            memory.fill(1);
            let reply = connection.lend_mut(&mut memory, [0; 3]).unwrap();
            assert_eq!((reply.words[0], reply.len), (length as u32, 4));
            assert!(memory.iter().all(|byte| *byte == 9));
        }
    }
}

#[test]
fn an_error_status_comes_back_however_the_memory_went() {
    for refuse in [willing, refusing] {
        let (connection, _) = loopback_with(refuse, ROOM, |message| match message.into_memory() {
            Ok(Memory::Lent(lent)) => lent.answer_error(Status(3)),
            Ok(Memory::LentMut(lent)) => lent.answer_error(Status(4)),
            Ok(Memory::Moved(delivery)) => Answer::error(delivery.into_parts().1, Status(5)),
            Err(message) => message.answer_words([]),
        });
        pages(4096);
        let status = |reply: crate::MemoryReply| (reply.status.0, reply.len, reply.words);
        let mut memory = [1; 64];
        let reply = connection.lend(&memory, [0; 3]).unwrap();
        assert_eq!(status(reply), (3, 0, [0; 5]));
        let reply = connection.lend_mut(&mut memory, [0; 3]).unwrap();
        assert_eq!(status(reply), (4, 0, [0; 5]));
        assert_eq!(memory, [1; 64]);
        let reply = connection.give(Pages::allocate(1).unwrap(), [0; 3]);
        assert_eq!(status(reply.unwrap()), (5, 0, [0; 5]));
    }
}

#[test]
fn a_copy_that_the_servers_buffer_cuts_is_no_memory_and_both_sides_know() {
    let connection = loopback(100, |message| {
        let message = message.into_memory().unwrap_err();
        assert_eq!((message.offered(), message.accepted()), (132, 100));
        message.answer_error(Status(1))
    });
    let reply = connection.lend(&[5; 100], [0; 3]).unwrap();
    assert_eq!((reply.status, reply.copied), (Status(1), Some(68)));
    let silent = loopback(0, |message| {
        assert!(message.into_memory().is_err());
        Answer::words(crate::testing::token(crate::testing::TOKEN), [])
    });
    assert_eq!(silent.lend(&[5; 9], [0; 3]).unwrap().copied, Some(0));
}

#[test]
fn an_ordinary_message_brings_no_memory() {
    let connection = loopback(64, |message| {
        let message = message.into_memory().unwrap_err();
        let words = message.words();
        message.answer_words(words)
    });
    assert_eq!(connection.send_words([4, 5]).unwrap().words[..2], [4, 5]);
    let mut reply = [0; 20];
    connection.send(&[6; 60], &mut reply).unwrap();
    assert_eq!(reply, [6; 20]);
}

#[test]
fn a_server_that_knows_nothing_of_memory_can_answer_a_copy() {
    let connection = loopback(64, |message| message.answer_words([1, 2, 3, 4, 5]));
    let mut memory = [7; 8];
    let reply = connection.lend_mut(&mut memory, [0; 3]).unwrap();
    assert_eq!((reply.words, reply.len), ([1, 2, 3, 4, 5], 20));
    assert_eq!(memory, [7; 8]);
}

#[test]
fn only_a_refusal_to_lend_becomes_a_copy() {
    let tried = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&tried);
    let (connection, _) = loopback_with(
        move |call| {
            log.borrow_mut().push(call);
            Some(Error::ServerDied)
        },
        ROOM,
        |_| panic!("a message"),
    );
    let mut memory = [0; 32];
    assert_eq!(connection.lend(&memory, [0; 3]), Err(Error::ServerDied));
    let result = connection.lend_mut(&mut memory, [0; 3]);
    assert_eq!(result, Err(Error::ServerDied));
    assert_eq!(*tried.borrow(), [operation::LEND, operation::LEND_MUT]);
}

#[test]
fn a_call_names_the_memory_its_words_and_the_deadline() {
    let calls = kernel(|_| [0; 8]);
    let connection = Connection::from_handle(5);
    let mut memory = [0; 64];
    let place = address(memory.as_ptr());
    let moment = Deadline::At(Instant::from_nanos(0x1_0000_0002));
    connection.lend(&memory, [1, 2, 3]).unwrap();
    connection.lend_until(&memory, [1, 2, 3], moment).unwrap();
    connection
        .lend_mut_until(&mut memory, [1, 2, 3], moment)
        .unwrap();
    let seen: Vec<_> = calls
        .borrow()
        .iter()
        .map(|(registers, extra)| {
            assert_eq!(crate::words::of(registers), [place, 64, 1, 2, 3]);
            // No reply buffer: it could overlap the memory.
            assert_eq!(extra[2..], [0; 3]);
            let operation = registers[register::CALL] >> 28;
            (operation, registers[register::INFO], extra[0], extra[1])
        })
        .collect();
    assert_eq!(
        seen,
        [
            (operation::LEND, 0, 0, 0),
            (operation::LEND, info::DEADLINE, 2, 1),
            (operation::LEND_MUT, info::DEADLINE, 2, 1),
        ]
    );
}

#[test]
fn moved_memory_is_released_when_its_new_owner_drops_it() {
    pages(8192);
    let (connection, calls) = loopback_with(willing, 0, |message| {
        let (mut memory, token) = moved(message);
        assert!(!memory.is_copy());
        assert_eq!(memory[..3], [5, 0, 0]);
        memory[0] = 6;
        Answer::words(token, [memory.len() as u32])
    });
    let mut frame = Pages::allocate(4096).unwrap();
    frame[0] = 5;
    let place = address(frame.as_ptr());
    let reply = connection.give(frame, [7, 8, 9]).unwrap();
    assert_eq!((reply.words[0], reply.copied), (4096, None));
    let released: Vec<_> = calls
        .borrow()
        .iter()
        .filter(|(registers, _)| registers[register::CALL] == number::RELEASE)
        .map(|(registers, _)| registers[register::WORD0])
        .collect();
    assert_eq!(released, [place]);
}

#[test]
fn a_copy_of_moved_memory_is_released_by_nobody_and_the_original_is_free_again() {
    pages(4096);
    let (connection, calls) = loopback_with(refusing, ROOM, |message| {
        let (memory, token) = moved(message);
        assert!(memory.is_copy());
        let memory = memory.keep().unwrap_err();
        Answer::words(token, [memory[0].into()])
    });
    let mut frame = Pages::allocate(4096).unwrap();
    frame[0] = 5;
    let reply = connection.give(frame, [7, 8, 9]).unwrap();
    assert_eq!((reply.words[0], reply.copied), (5, Some(4096)));
    assert!(Pages::allocate(4096).is_some_and(|frame| frame[0] == 0));
    let calls = calls.borrow();
    let mut numbers = calls.iter().map(|call| call.0[register::CALL]);
    assert!(!numbers.any(|call| call == number::RELEASE));
}

#[test]
fn kept_memory_outlives_its_receive() {
    pages(4096);
    let kept = Rc::new(RefCell::new(None));
    let keeper = Rc::clone(&kept);
    let (connection, calls) = loopback_with(willing, 0, move |message| {
        let (memory, token) = moved(message);
        *keeper.borrow_mut() = Some(memory.keep().unwrap());
        Answer::words(token, [])
    });
    let frame = Pages::allocate(4096).unwrap();
    connection.give(frame, [7, 8, 9]).unwrap();
    let released = || {
        let calls = calls.borrow();
        let calls = calls.iter().map(|call| call.0[register::CALL]);
        calls.filter(|call| *call == number::RELEASE).count()
    };
    assert_eq!(released(), 0);
    // It is moved on as a whole, and then it is no longer this process's to release.
    let moved_on = kernel(|_| [0; 8]);
    let memory = kept.borrow_mut().take().unwrap();
    connection.give(memory, [7, 8, 9]).unwrap();
    assert_eq!(moved_on.borrow().len(), 1);
    assert_eq!(
        crate::words::of(&moved_on.borrow()[0].0)[1..],
        [4096, 7, 8, 9]
    );
}

#[test]
fn memory_that_could_not_be_given_comes_back() {
    pages(4096);
    for error in [Error::TimedOut, Error::WouldBlock, Error::ServerDied] {
        let calls = kernel(move |registers| {
            if registers[register::CALL] >> 28 == operation::MOVE {
                failed(error)
            } else {
                [0; 8]
            }
        });
        let connection = Connection::from_handle(5);
        let frame = Pages::allocate(4096).unwrap();
        let place = frame.as_ptr();
        let failure = connection.give(frame, [0; 3]).unwrap_err();
        assert_eq!(failure.error, error);
        assert_eq!(failure.memory.unwrap().as_ptr(), place);
        // What a dead server had is touched again only once the kernel says that it is home.
        let last = calls.borrow().last().unwrap().0;
        assert_eq!(last[register::CALL], number::RECLAIM);
    }
}

#[test]
fn memory_that_the_server_has_received_does_not_come_back_with_an_error() {
    pages(4096);
    let home = Rc::new(Cell::new(true));
    let is_home = Rc::clone(&home);
    install(move |registers, _| match registers[register::CALL] {
        number::RECLAIM if is_home.get() => [0; 8],
        number::RECLAIM => failed(Error::InUse),
        _ => {
            is_home.set(false);
            failed(Error::ServerDied)
        }
    });
    let frame = Pages::allocate(4096).unwrap();
    let failure = Connection::from_handle(5).give(frame, [0; 3]);
    assert!(matches!(failure, Err(GiveError { memory: None, .. })));
    assert!(Pages::allocate(4096).is_none());
    home.set(true);
    assert!(Pages::allocate(4096).is_some());
}

#[test]
fn a_move_that_was_refused_is_tried_again_when_an_earlier_one_has_come_home() {
    pages(8192);
    let gaps = Rc::new(Cell::new(1));
    let free = Rc::clone(&gaps);
    install(move |registers, _| {
        if registers[register::CALL] == number::RECLAIM {
            free.set(1);
            [0; 8]
        } else if free.replace(0) == 1 {
            [0; 8]
        } else {
            failed(Error::CannotLend)
        }
    });
    let (first, second) = (Pages::allocate(1).unwrap(), Pages::allocate(1).unwrap());
    let connection = Connection::from_handle(5);
    assert_eq!(connection.give(first, [0; 3]).unwrap().copied, None);
    assert_eq!(connection.give(second, [0; 3]).unwrap().copied, None);
}

#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, PartialEq, Eq, Debug)]
#[repr(C)]
struct Record {
    number: u64,
    values: [u32; 4],
}

#[test]
fn memory_is_seen_as_a_value_without_a_copy() {
    pages(4096);
    for refuse in [willing, refusing] {
        let (connection, _) = loopback_with(refuse, ROOM, |message| {
            let mut lent = lent_mut(message);
            let changed = lent.view_mut(|record: &mut Record| record.values[3] += 1);
            changed.unwrap();
            let number = lent.view(|record: &Record| record.number as u32).unwrap();
            lent.answer_words([number])
        });
        let mut frame = Pages::allocate(size_of::<Record>()).unwrap();
        *frame.view_mut().unwrap() = Record {
            number: 77,
            values: [1, 2, 3, 4],
        };
        let reply = connection.lend_mut(&mut frame, [0; 3]).unwrap();
        assert_eq!(reply.words[0], 77);
        assert_eq!(frame.view::<Record>().unwrap().values, [1, 2, 3, 5]);
    }
}

#[test]
fn memory_that_cannot_be_a_value_says_why() {
    #[repr(align(8))]
    struct Aligned([u8; 64]);
    let memory = Aligned([1; 64]);
    let (connection, _) = loopback_with(willing, 0, |message| {
        let lent = lent(message);
        let misfit = match lent.view(|_: &Record| ()) {
            Ok(()) => 0,
            Err(ViewError::TooShort) => 1,
            Err(ViewError::Alignment) => 2,
        };
        lent.answer_words([misfit])
    });
    let misfit = |memory: &[u8]| connection.lend(memory, [0; 3]).unwrap().words[0];
    assert_eq!(misfit(&memory.0), 0);
    assert_eq!(misfit(&memory.0[..8]), 1);
    assert_eq!(misfit(&memory.0[1..]), 2);
}

#[test]
fn moved_memory_that_a_server_that_died_had_not_received_comes_back() {
    for received in [false, true] {
        pages(4096);
        let kept = Rc::new(RefCell::new(None));
        let keeper = Rc::clone(&kept);
        let (connection, _) = loopback_with(willing, 0, move |message| {
            let (memory, token) = moved(message);
            *keeper.borrow_mut() = Some(memory.keep().unwrap());
            Answer::words(token, [])
        });
        connection
            .give(Pages::allocate(4096).unwrap(), [7, 8, 9])
            .unwrap();
        let calls = kernel(move |_| {
            let mut out = failed(Error::ServerDied);
            out[register::INFO] |= if received { info::MOVED } else { 0 };
            out
        });
        let memory = kept.borrow_mut().take().unwrap();
        let place = memory.as_ptr();
        let failure = connection.give(memory, [7, 8, 9]).unwrap_err();
        assert_eq!(failure.error, Error::ServerDied);
        let back = failure.memory.as_ref().map(|it| it.as_ptr());
        assert_eq!(back, (!received).then_some(place));
        let releases = || {
            let calls = calls.borrow();
            let calls = calls.iter().map(|call| call.0[register::CALL]);
            calls.filter(|call| *call == number::RELEASE).count()
        };
        assert_eq!(releases(), 0);
        drop(failure);
        assert_eq!(releases(), usize::from(!received));
    }
}
