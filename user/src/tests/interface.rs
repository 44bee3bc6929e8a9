use std::vec::Vec;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::interface::{ApplicationError, CallError, refusal};
use crate::testing::loopback;
use crate::{Error, Status};

/// Larger than registers hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoBytes, FromBytes, Immutable)]
#[repr(C)]
struct Block {
    number: u64,
    bytes: [u8; 24],
}

#[derive(Debug, PartialEq, Eq)]
enum Broken {
    Lamp,
    Fuse,
}

impl ApplicationError for Broken {
    fn into_status(self) -> Status {
        Status(match self {
            Broken::Lamp => 1,
            Broken::Fuse => 2,
        })
    }

    fn from_status(status: Status) -> Option<Broken> {
        match status.0 {
            1 => Some(Broken::Lamp),
            2 => Some(Broken::Fuse),
            _ => None,
        }
    }
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
}

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
    assert_eq!(client.make(0), Err(CallError::Refused(refusal::MALFORMED)));
}
