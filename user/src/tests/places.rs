//! Where the bytes of a message are: in its words, in the buffer, in parts, or with the client.

use riposte_abi::{info, register};

use crate::{Deadline, Event, Message, PartMut, testing, trap::Registers};

const CLIENT: u32 = 0x100;

/// What a receive says that has taken so many bytes of so many.
fn bytes(accepted: u32, offered: u32) -> Registers {
    let mut registers: Registers = [0; register::COUNT];
    registers[register::INFO] = CLIENT | info::BYTES;
    registers[register::WORD0] = accepted;
    registers[register::WORD1] = offered;
    registers
}

/// What a receive says of this message in registers.
fn words(text: &[u8; 8]) -> Registers {
    let mut registers: Registers = [0; register::COUNT];
    registers[register::INFO] = CLIENT | 8;
    let [first, second] = [0, 4].map(|at| text[at..].first_chunk().copied().unwrap());
    registers[register::WORD0] = u32::from_le_bytes(first);
    registers[register::WORD1] = u32::from_le_bytes(second);
    registers
}

fn message(event: Result<Event<'_>, crate::Error>) -> Message<'_> {
    match event {
        Ok(Event::Message(message)) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_of_words_is_put_into_the_parts_of_its_receive() {
    testing::kernel(|_| words(b"a secret"));
    let (mut head, mut body) = (*b"ab", *b"of somebody else");
    let mut parts = [PartMut::new(&mut head), PartMut::new(&mut body)];
    let channel = crate::Channel::from_handle(1);
    let message = message(channel.receive_vector_until(&mut parts, Deadline::None));
    assert_eq!((message.accepted(), message.offered()), (8, 8));
    assert!(!message.is_in_registers() && message.bytes().is_empty());
    assert_eq!((&head, &body[..6]), (b"a ", &b"secret"[..]));
}

#[test]
fn a_message_of_words_is_cut_where_its_parts_end() {
    testing::kernel(|_| words(b"a secret"));
    let mut head = *b"abc";
    let channel = crate::Channel::from_handle(1);
    let mut parts = [PartMut::new(&mut head)];
    let message = message(channel.receive_vector_until(&mut parts, Deadline::None));
    assert_eq!((message.accepted(), message.offered()), (3, 8));
    assert_eq!(head, *b"a s");
}

#[test]
fn a_message_in_parts_shows_nothing_however_short_it_is() {
    let message = message(Event::decode_parts(&bytes(16, 100), &mut []));
    assert_eq!(message.bytes(), b"");
    assert!(!message.is_in_registers() && !message.is_words());
    assert_eq!(message.into_buffer().1, b"");
}

#[test]
fn a_gathered_message_is_read_from_its_client_however_short_it_is() {
    for (room, accepted, offset, length) in [(0, 0, 0, 12), (4, 4, 4, 8)] {
        testing::kernel(move |registers| {
            let mut out = *registers;
            out[register::INFO] = 0;
            out[register::WORD0] = length;
            out
        });
        let mut buffer = [0; 4];
        let message = message(Event::decode(&bytes(accepted, 12), &mut buffer[..room]));
        assert_eq!(message.read(offset, &mut [0; 12]), Ok(length as usize));
    }
}

/// What does nothing.
#[crate::interface]
trait Store {
    fn forget(&mut self) -> u32;
    fn store(&mut self, block: [u32; 8]) -> u32;
}

struct Untouched;

impl Store for Untouched {
    fn forget(&mut self) -> u32 {
        panic!("nobody has called it")
    }

    fn store(&mut self, _: [u32; 8]) -> u32 {
        panic!("it cannot have come")
    }
}

#[test]
fn a_server_without_room_for_a_request_refuses_it_whatever_its_method() {
    let message = message(Event::decode(&bytes(0, 36), &mut []));
    let answer = StoreServer::dispatch(&mut Untouched, message);
    let status = answer.call.unwrap().status;
    assert_eq!(status, Some(crate::interface::refusal::TOO_LONG.0));
}
