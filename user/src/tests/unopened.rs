//! What a server answers without a look at it.

use riposte_abi::call::number;
use riposte_abi::{Error, register};

use crate::{Connection, Event, Pages, RegionHandle, Status, testing, trap::Registers};

#[test]
fn an_answer_in_the_buffer_of_a_short_message_holds_nothing_of_the_previous_clients() {
    let mut buffer = *b"the previous client's secret";
    let mut registers: Registers = [0; register::COUNT];
    registers[register::INFO] = 4;
    registers[register::WORD0] = u32::from_le_bytes(*b"ping");
    let Ok(Event::Message(message)) = Event::decode(&registers, &mut buffer) else {
        panic!("a message");
    };
    assert_eq!(message.bytes(), b"ping");
    let length = message.accepted();
    let call = message.answer_buffer(length).call.unwrap();
    assert_eq!(call.words[0].to_le_bytes(), *b"ping");
}

#[test]
fn moved_memory_that_a_server_refuses_unopened_is_released() {
    testing::pages(4096);
    let (connection, calls) =
        testing::loopback_with(|_| None, 0, |message| message.answer_error(Status(1)));
    let given = Pages::allocate(4096).unwrap();
    connection.give(given, [7, 8, 9]).unwrap();
    let calls = calls.borrow();
    let released = calls
        .iter()
        .filter(|(registers, _)| registers[register::CALL] == number::RELEASE);
    assert_eq!(released.count(), 1);
}

#[test]
fn a_message_that_brought_memory_is_not_answered_by_what_leaves_it_to_be_opened() {
    testing::pages(4096);
    let (connection, calls) = testing::loopback_with(
        |_| None,
        0,
        |message| {
            let connection = Connection::from_handle(3);
            let handed = message.try_reply_handle([0; 4], &connection);
            let mapped = message.try_reply_region([0; 4], &RegionHandle::from_handle(4));
            assert_eq!([handed, mapped], [Err(Error::NotPermitted); 2]);
            assert!(!message.is_words());
            message.answer_error(Status(1))
        },
    );
    let mut memory = [0; 64];
    connection.lend(&memory, [7, 8, 9]).unwrap();
    connection.lend_mut(&mut memory, [7, 8, 9]).unwrap();
    connection
        .give(Pages::allocate(4096).unwrap(), [7, 8, 9])
        .unwrap();
    let calls = calls.borrow();
    let calls = calls.iter().map(|(registers, _)| registers[register::CALL]);
    let answers = [number::REPLY_HANDLE, number::RELEASE];
    assert!(
        calls
            .filter(|call| answers.contains(call))
            .eq([number::RELEASE])
    );
}
