use core::fmt::Write;
use std::vec::Vec;

use riposte_abi::{info, register};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::interface::{ApplicationError, CallError, refusal};
use crate::testing::{loopback, loopback_in};
use crate::{Connection, Error, Instant, Status, Text};

/// Larger than registers hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoBytes, FromBytes, Immutable)]
#[repr(C)]
struct Block {
    number: u64,
    bytes: [u8; 24],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ApplicationError)]
enum Broken {
    Lamp,
    Fuse,
}

/// Something of everything that an interface may have.
#[crate::interface]
trait Everything {
    fn nothing(&self);
    fn add(&mut self, a: u32, b: i32) -> i32;
    fn wide(&self, low: u64, high: u64) -> u64;
    fn many(&self, a: u8, b: bool, c: i16, d: f32, message: u32) -> u32;
    fn turn(&mut self, block: Block) -> Block;
    fn look(&self, block: &Block, at: u64) -> u8;
    fn make(&self, number: u64) -> Block;
    fn count(&self, byte: u8, bytes: &[u8]) -> usize;
    fn switch(&mut self, lamp: u32) -> Result<bool, Broken>;
    fn store(&mut self, block: &Block) -> Result<(), Broken>;
    fn load(&self) -> Result<[u8; 40], Status>;
    fn both(&self, pair: (u8, u64), scale: i16) -> (u64, i32);
    fn parts(&self, key: (u32, Block)) -> Result<(Block, bool), Broken>;
    fn put(&mut self, key: &str, samples: &[u64], bytes: &[u8]) -> usize;
    fn read(&self, from: u32, room: &mut [u16]) -> Result<usize, Broken>;
    fn find(&self, key: &str, room: &mut [u64]) -> (usize, bool);
    fn label(&self, number: u8, text: &mut Text) -> bool;
}

#[crate::interface]
trait Lengths {
    fn fill(&self, key: &str, room: &mut [u8]) -> usize;
}

struct Server;

impl Everything for Server {
    fn nothing(&self) {}

    fn add(&mut self, a: u32, b: i32) -> i32 {
        a.cast_signed() + b
    }

    fn wide(&self, low: u64, high: u64) -> u64 {
        high - low
    }

    fn many(&self, a: u8, b: bool, c: i16, d: f32, message: u32) -> u32 {
        assert_eq!((a, b, c, d), (200, true, -5, 1.5));
        message + 1
    }

    fn turn(&mut self, mut block: Block) -> Block {
        block.bytes.reverse();
        block
    }

    fn look(&self, block: &Block, at: u64) -> u8 {
        block.bytes[at as usize]
    }

    fn make(&self, number: u64) -> Block {
        Block {
            number,
            bytes: [number as u8; 24],
        }
    }

    fn count(&self, byte: u8, bytes: &[u8]) -> usize {
        bytes.iter().filter(|other| **other == byte).count()
    }

    fn switch(&mut self, lamp: u32) -> Result<bool, Broken> {
        match lamp {
            0 => Ok(true),
            1 => Err(Broken::Fuse),
            _ => Err(Broken::Lamp),
        }
    }

    fn store(&mut self, block: &Block) -> Result<(), Broken> {
        if block.number == 0 {
            Err(Broken::Lamp)
        } else {
            Ok(())
        }
    }

    fn load(&self) -> Result<[u8; 40], Status> {
        Ok([9; 40])
    }

    fn both(&self, (low, high): (u8, u64), scale: i16) -> (u64, i32) {
        (high * u64::from(low), i32::from(scale) * 2)
    }

    fn parts(&self, (number, block): (u32, Block)) -> Result<(Block, bool), Broken> {
        if number == 0 {
            return Err(Broken::Fuse);
        }
        Ok((block, block.number == u64::from(number)))
    }

    fn put(&mut self, key: &str, samples: &[u64], bytes: &[u8]) -> usize {
        assert_eq!(key.len(), bytes.len());
        samples.iter().sum::<u64>() as usize + usize::from(key.contains('ö'))
    }

    fn read(&self, from: u32, room: &mut [u16]) -> Result<usize, Broken> {
        assert!(room.iter().all(|element| *element == 0));
        match from {
            BROKEN => return Err(Broken::Lamp),
            TOO_MUCH => return Ok(room.len() + 1),
            _ => {}
        }
        for (element, number) in room.iter_mut().zip(from..) {
            *element = number as u16;
        }
        Ok(room.len())
    }

    fn find(&self, key: &str, room: &mut [u64]) -> (usize, bool) {
        let found = room.iter_mut().zip(key.bytes());
        let found = found.map(|(to, byte)| *to = byte.into()).count();
        (found, found == key.len())
    }

    fn label(&self, number: u8, text: &mut Text) -> bool {
        write!(text, "größe {number}").is_ok()
    }
}

/// Numbers at which `read` fails.
const BROKEN: u32 = 1000;
const TOO_MUCH: u32 = 1001;

fn client() -> EverythingClient {
    client_of_a_server_with(4096)
}

fn client_of_a_server_with(room: usize) -> EverythingClient {
    EverythingClient::new(loopback(room, |message| {
        EverythingServer::dispatch(&mut Server, message)
    }))
}

fn block() -> Block {
    Block {
        number: 77,
        bytes: core::array::from_fn(|byte| byte as u8),
    }
}

#[test]
fn scalars_go_there_and_back() {
    let client = client();
    assert_eq!(client.nothing(), Ok(()));
    assert_eq!(client.add(3, -10), Ok(-7));
    assert_eq!(client.wide(5, 1 << 40), Ok((1 << 40) - 5));
    assert_eq!(client.many(200, true, -5, 1.5, 41), Ok(42));
}

#[test]
fn values_and_bytes_go_there_and_back() {
    let client = client();
    let mut turned = block();
    turned.bytes.reverse();
    assert_eq!(client.turn(block()), Ok(turned));
    assert_eq!(client.look(&block(), 5), Ok(5));
    assert_eq!(
        client.make(3),
        Ok(Block {
            number: 3,
            bytes: [3; 24]
        })
    );
    assert_eq!(client.load(), Ok([9; 40]));
    for length in [0, 3, 100, 1000] {
        let bytes: Vec<u8> = (0..length).map(|byte| (byte % 3) as u8).collect();
        let expected = bytes.iter().filter(|byte| **byte == 2).count();
        assert_eq!(client.count(2, &bytes), Ok(expected));
    }
}

#[test]
fn an_application_error_is_not_a_kernel_error() {
    let client = client();
    assert_eq!(client.switch(0), Ok(true));
    assert_eq!(client.switch(1), Err(CallError::Application(Broken::Fuse)));
    assert_eq!(client.switch(2), Err(CallError::Application(Broken::Lamp)));
    assert_eq!(client.store(&block()), Ok(()));
    let none = Block {
        number: 0,
        ..block()
    };
    assert_eq!(
        client.store(&none),
        Err(CallError::Application(Broken::Lamp))
    );
    crate::testing::kernel(|_| crate::testing::failed(Error::TimedOut));
    assert_eq!(client.switch(0), Err(CallError::Kernel(Error::TimedOut)));
}

#[test]
fn a_buffer_that_is_too_short_is_said_and_the_constant_is_long_enough() {
    let client = client_of_a_server_with(EverythingServer::BUFFER);
    assert!(client.turn(block()).is_ok());
    assert!(client.load().is_ok());
    let client = client_of_a_server_with(8);
    let refused = Err(CallError::Refused(refusal::TOO_LONG));
    assert_eq!(client.turn(block()), refused);
    assert_eq!(client.make(1), refused);
    assert_eq!(
        client.count(0, &[0; 50]),
        Err(CallError::Refused(refusal::TOO_LONG))
    );
}

#[test]
fn what_is_no_request_is_refused() {
    let connection = loopback(4096, |message| {
        EverythingServer::dispatch(&mut Server, message)
    });
    let status = |request: &[u8]| connection.send(request, &mut [0; 64]).unwrap().status;
    assert_eq!(status(&99_u32.to_le_bytes()), refusal::NO_SUCH_METHOD);
    // `turn` without its block, and with half of it.
    assert_eq!(status(&4_u32.to_le_bytes()), refusal::MALFORMED);
    assert_eq!(
        status(&[
            4, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9
        ]),
        refusal::MALFORMED
    );
}

#[test]
fn a_server_of_another_interface_is_noticed() {
    let connection = loopback(4096, |message| {
        message.answer(&[1; 3]).with_status(Status(55))
    });
    let client = EverythingClient::new(connection);
    assert_eq!(client.switch(0), Err(CallError::Refused(Status(55))));
    let connection = loopback(4096, |message| message.answer(&[1; 3]));
    let client = EverythingClient::new(connection);
    assert_eq!(client.make(0), Err(CallError::MALFORMED));
    assert_eq!(client.add(1, 2), Err(CallError::MALFORMED));
    assert_eq!(client.nothing(), Err(CallError::MALFORMED));
}

#[test]
fn tuples_go_there_and_back() {
    let client = client();
    assert_eq!(client.both((3, 1 << 33), -7), Ok((3 << 33, -14)));
    let found = client.parts((77, block()));
    assert_eq!(found, Ok((block(), true)));
    let refused = Err(CallError::Application(Broken::Fuse));
    assert_eq!(client.parts((0, block())), refused);
}

/// Wherever the request lies: values of eight bytes are aligned for the server.
#[test]
fn slices_and_text_of_any_length_arrive_in_any_buffer() {
    for room in 4000..4009 {
        let client = client_of_a_server_with(room);
        for length in 0..9 {
            let bytes: Vec<u8> = (0..length).collect();
            let key: std::string::String = "abcdefghi"[..length.into()].into();
            let samples: Vec<u64> = (0..u64::from(length)).map(|it| it + 5).collect();
            let sum = samples.iter().sum::<u64>() as usize;
            assert_eq!(client.put(&key, &samples, &bytes), Ok(sum));
        }
        assert_eq!(client.put("ö", &[1 << 30], &[1, 2]), Ok((1 << 30) + 1));
    }
}

#[test]
fn a_room_holds_what_the_server_filled_and_no_more() {
    let client = client();
    for length in [0, 1, 2, 3, 50] {
        let mut room = [0xFFFF; 60];
        assert_eq!(client.read(7, &mut room[..length]), Ok(length));
        let expected = (7..).take(length);
        assert!(room[..length].iter().copied().eq(expected));
        assert!(room[length..].iter().all(|element| *element == 0xFFFF));
        let mut room = [1; 60];
        let found = client.find("key", &mut room[..length]);
        assert_eq!(found, Ok((length.min(3), length >= 3)));
        assert!(room[found.unwrap().0..].iter().all(|element| *element == 1));
    }
    let mut room = [0; 8];
    let lamp = CallError::Application(Broken::Lamp);
    assert_eq!(client.read(BROKEN, &mut room), Err(lamp));
    let too_long = CallError::Refused(refusal::TOO_LONG);
    assert_eq!(client.read(TOO_MUCH, &mut room), Err(too_long));
}

#[test]
fn a_server_with_a_short_buffer_fills_less_and_one_without_refuses() {
    let client = client_of_a_server_with(EverythingServer::BUFFER + 20);
    let mut room = [0; 400];
    let filled = client.read(0, &mut room).unwrap();
    assert!((10..400).contains(&filled), "{filled}");
    assert!(room[..filled].iter().copied().eq((0..).take(filled)));
    let client = client_of_a_server_with(2);
    let too_long = CallError::Refused(refusal::TOO_LONG);
    assert_eq!(client.read(0, &mut room), Err(too_long));
}

#[test]
fn text_goes_into_the_clients_room_whole_or_is_cut_where_the_server_says() {
    let client = client();
    let mut room = [0; 20];
    let mut text = Text::new(&mut room);
    text.push_str("before").unwrap();
    assert_eq!(client.label(12, &mut text), Ok(true));
    assert_eq!(text.as_str(), "größe 12");
    let mut text = Text::new(&mut room[..8]);
    assert_eq!(client.label(12, &mut text), Ok(false));
    assert_eq!(text.as_str(), "größe ");
    let mut text = Text::new(&mut []);
    assert_eq!(client.label(12, &mut text), Ok(false));
    assert_eq!(text.as_str(), "");
}

/// A method's number, and the words and bytes of its arguments.
fn request(number: u32, words: &[u32], bytes: &[u8]) -> Vec<u8> {
    let words = [&[number], words].concat();
    let words = words.iter().flat_map(|word| word.to_le_bytes());
    words.chain(bytes.iter().copied()).collect()
}

#[test]
fn a_request_that_is_cut_or_too_long_or_lies_about_a_length_is_refused() {
    const COUNT: u32 = 7;
    const PUT: u32 = 13;
    const READ: u32 = 14;
    let connection = loopback(4096, |message| {
        EverythingServer::dispatch(&mut Server, message)
    });
    let status = |request: Vec<u8>| connection.send(&request, &mut [0; 64]).unwrap().status;
    let malformed = [
        // Arguments in registers: one is missing, or there is one more.
        request(1, &[1], &[]),
        request(1, &[1, 2, 3], &[]),
        // Fewer bytes than the count says, more, and a count that no memory has.
        request(COUNT, &[2, 3], &[1, 2]),
        request(COUNT, &[2, 1], &[1, 2]),
        request(COUNT, &[2, u32::MAX], &[1, 2]),
        request(COUNT, &[2], &[]),
        request(READ, &[1], &[]),
        request(READ, &[1, 2], &[0]),
        // The elements' bytes overflow.
        request(PUT, &[0, 1 << 29, 0], &[]),
        request(PUT, &[0, u32::MAX, 0], &[0; 8]),
        request(PUT, &[u32::MAX, 1, u32::MAX], &[0; 16]),
        // Text that is no UTF-8.
        request(PUT, &[2, 0, 2], &[0xC3, 0x28, 0, 0, 0, 0, 0, 0, 1, 2]),
    ];
    for request in malformed {
        assert_eq!(status(request.clone()), refusal::MALFORMED, "{request:?}");
    }
    assert!(status(request(COUNT, &[2, 2], &[1, 2])).is_ok());
    assert!(status(request(READ, &[1, u32::MAX], &[])).is_ok());
    // Between text and numbers is a gap.
    let put = request(PUT, &[2, 0, 2], &[0xC3, 0xB6, 0, 0, 0, 0, 0, 0, 1, 2]);
    assert!(status(put).is_ok());
}

/// A client of a server that answers everything with these bytes.
fn client_that_is_told(answer: Vec<u8>) -> EverythingClient {
    EverythingClient::new(loopback(4096, move |message| {
        let (token, buffer) = message.into_parts();
        buffer[..answer.len()].copy_from_slice(&answer);
        crate::Answer::bytes(token, &buffer[..answer.len()])
    }))
}

#[test]
fn an_answer_that_is_cut_or_too_long_or_lies_about_a_length_is_refused() {
    let mut room = [0; 4];
    for (count, elements) in [(2, 3), (2, 5), (5, 10), (u32::MAX, 4), (1 << 31, 0)] {
        let bytes = [&count.to_le_bytes()[..], &std::vec![0; elements]].concat();
        let client = client_that_is_told(bytes);
        assert_eq!(client.read(0, &mut room), Err(CallError::MALFORMED));
    }
    for bytes in [
        &[0][..],
        &[1, 0, 0, 0],
        &[1, 0, 0, 0, 3, 0, 0, 0, b'a', b'b'],
        &[1, 0, 0, 0, 2, 0, 0, 0, b'a', b'b', b'c'],
        &[1, 0, 0, 0, 2, 0, 0, 0, 0xC3, 0x28],
    ] {
        let client = client_that_is_told(bytes.to_vec());
        let mut room = [0; 8];
        let mut text = Text::new(&mut room);
        assert_eq!(client.label(1, &mut text), Err(CallError::MALFORMED));
        assert_eq!(text.as_str(), "");
    }
    let one_more = [0; size_of::<Block>() + 1];
    let client = client_that_is_told(one_more.to_vec());
    assert_eq!(client.make(0), Err(CallError::MALFORMED));
    assert_eq!(client.nothing(), Err(CallError::MALFORMED));
    assert_eq!(client.both((0, 0), 0), Err(CallError::MALFORMED));
}

/// `fill` says that it has filled what it has not: the client sees zeros, and not what stood there before.
#[test]
fn a_room_shows_nothing_of_other_clients() {
    struct Careless;

    impl Lengths for Careless {
        fn fill(&self, _: &str, room: &mut [u8]) -> usize {
            room.len()
        }
    }

    let client = LengthsClient::new(loopback_in(0xEE, 256, |message| {
        LengthsServer::dispatch(&mut Careless, message)
    }));
    let mut room = [1; 100];
    assert_eq!(client.fill("somebody", &mut room), Ok(100));
    assert_eq!(room, [0; 100]);
}

#[test]
fn every_call_has_a_form_with_a_deadline() {
    let calls = crate::testing::kernel(|_| crate::testing::failed(Error::TimedOut));
    let client = EverythingClient::new(Connection::from_handle(1));
    let late = Instant::from_nanos(77);
    assert_eq!(
        client.add_until(1, 2, late),
        Err(CallError::Kernel(Error::TimedOut))
    );
    let mut room = [0; 3];
    assert_eq!(
        client.read_until(1, &mut room, late),
        Err(CallError::Kernel(Error::TimedOut))
    );
    assert_eq!(
        client.make_until(1, late),
        Err(CallError::Kernel(Error::TimedOut))
    );
    for (registers, extra) in calls.borrow().iter() {
        assert_ne!(registers[register::INFO] & info::DEADLINE, 0);
        assert_eq!(extra[..2], [77, 0]);
    }
    assert_eq!(calls.borrow().len(), 3);
}

#[test]
fn a_short_request_that_the_buffer_has_cut_is_refused_and_not_filled_with_zeros() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static CALLS: AtomicU32 = AtomicU32::new(0);
    struct Counts;
    impl Sums for Counts {
        fn add(&self, _: u32, _: u32) -> u32 {
            CALLS.fetch_add(1, Ordering::Relaxed) + 1
        }
        fn put(&self, _: &u32) {}
    }
    // As long as the interface asks for.
    let connection = loopback(SumsServer::BUFFER, |message| {
        SumsServer::dispatch(&mut Counts, message)
    });
    // In parts, so that it does not go in registers.
    let request = request(0, &[7, 5], &[]);
    let parts = [crate::Part::new(&request)];
    let reply = connection.send_vector(&parts, &mut []).unwrap();
    assert_eq!(CALLS.load(Ordering::Relaxed), 0, "the method was called");
    assert_eq!(reply.status, refusal::TOO_LONG);
}

#[crate::interface]
trait Sums {
    fn add(&self, a: u32, b: u32) -> u32;
    fn put(&self, a: &u32);
}

/// Whether it fits depends on what the client sends: the result stands behind the bytes.
#[test]
fn a_method_whose_result_does_not_fit_is_not_called() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static CALLS: AtomicU32 = AtomicU32::new(0);
    struct Counts;
    impl Digests for Counts {
        fn digest(&mut self, bytes: &[u8]) -> [u8; 32] {
            CALLS.fetch_add(1, Ordering::Relaxed);
            [bytes.len() as u8; 32]
        }
        fn last(&self) -> Result<[u8; 32], Status> {
            CALLS.fetch_add(1, Ordering::Relaxed);
            Ok([0; 32])
        }
    }
    let client = |room| {
        DigestsClient::new(loopback(room, |message| {
            DigestsServer::dispatch(&mut Counts, message)
        }))
    };
    let long = client(DigestsServer::BUFFER + 64);
    let refused = Err(CallError::Refused(refusal::TOO_LONG));
    assert_eq!(long.digest(&[0; 80]), refused);
    assert_eq!(CALLS.load(Ordering::Relaxed), 0, "the method was called");
    assert_eq!(long.digest(&[0; 50]), Ok([50; 32]));
    let refused = Err(CallError::Refused(refusal::TOO_LONG));
    assert_eq!(client(31).last(), refused);
    assert_eq!(CALLS.load(Ordering::Relaxed), 1, "the method was called");
    assert_eq!(client(32).last(), Ok([0; 32]));
}

#[crate::interface]
trait Digests {
    fn digest(&mut self, bytes: &[u8]) -> [u8; 32];
    fn last(&self) -> Result<[u8; 32], Status>;
}
