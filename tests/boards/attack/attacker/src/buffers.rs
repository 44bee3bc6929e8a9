//! Memory that is named in a call, and is not the attacker's to read or to write.

use core::hint::black_box;

use check::attack::{
    number::{BEYOND, SHAPE},
    order,
};
use riposte::abi::call::{number, operation};
use riposte::abi::{Error, call, info, register};
use riposte::{Event, Registers, Token};

/// Names memory at `address` in a call: see [`check::attack::number::BUFFER`]. Whether the call was
/// refused, and the other side lost nothing.
pub fn name_in_a_call(address: u32, value: u32) -> bool {
    let mut own = black_box([0_u32; 4]);
    let range = range(address, value / SHAPE, &mut own);
    match value % SHAPE {
        BEYOND => beyond(),
        which @ ..10 => refused(as_client(which, range, &own)),
        which => as_server(which, range),
    }
}

/// Address and length.
type Range = (u32, u32);

/// Bytes that a client sends: more than registers hold, so that they are copied.
const SENT: usize = 24;

fn range(address: u32, shape: u32, own: &mut [u32; 4]) -> Range {
    let here = own.as_mut_ptr().addr() as u32;
    match shape {
        0 => (address, 16),
        // Over the end of everything.
        1 => (address, 0xFFFF_FFFF),
        // Over the end of its own memory.
        2 => (address - 8, 16),
        // From its own memory round to where it began.
        3 => (here, 0xFFFF_FFFC),
        // Its own code.
        _ => (
            name_in_a_call as fn(u32, u32) -> bool as usize as u32 & !3,
            16,
        ),
    }
}

/// Makes call `which`.
fn as_client(which: u32, (address, length): Range, own: &[u32; 4]) -> Registers {
    let mut registers = [0; register::COUNT];
    let mut extra = [0; 5];
    (registers[register::WORD0], registers[register::WORD1]) = (address, length);
    let keeper = |operation| call::word(operation, riposte::connect("keeper").unwrap().handle());
    let parts = black_box([own.as_ptr().addr() as u32, 4, address, length]);
    registers[register::CALL] = match which {
        0 => keeper(operation::SEND_BYTES),
        1 => {
            (registers[register::WORD0], registers[register::INFO]) = (order::BYTES, 4);
            (extra[2], extra[3]) = (address, length);
            keeper(operation::SEND)
        }
        // The list of parts lies there.
        2 => {
            registers[register::WORD1] = count(length);
            keeper(operation::SEND_VECTOR)
        }
        // A part lies there.
        3 => {
            registers[register::WORD0] = parts.as_ptr().addr() as u32;
            registers[register::WORD1] = 2;
            keeper(operation::SEND_VECTOR)
        }
        // A part of the reply buffer lies there.
        4 => {
            registers[register::WORD0] = order::BYTES;
            registers[register::INFO] = 4 | info::VECTOR;
            (extra[2], extra[3]) = (parts.as_ptr().addr() as u32, 2);
            keeper(operation::SEND)
        }
        5 => keeper(operation::LEND),
        6 => keeper(operation::LEND_MUT),
        7 => keeper(operation::MOVE),
        8 => number::PANIC,
        _ => number::RECLAIM,
    };
    // SAFETY: none: what the kernel does with the range is what is tested.
    unsafe { riposte::raw_call(registers, extra) }
}

/// Makes call `which` while a client waits, who then gets its answer.
fn as_server(which: u32, (address, length): Range) -> bool {
    let mut buffer = [0; SENT];
    let prey = riposte::channel("prey").unwrap();
    let mut registers = [0; register::COUNT];
    (registers[register::WORD0], registers[register::WORD1]) = (address, length);
    if which == 10 {
        registers[register::CALL] = call::word(operation::RECEIVE, prey.handle());
        // SAFETY: as in `as_client`.
        let out = unsafe { riposte::raw_call(registers, [0, 0, address, length, 0]) };
        return refused(out) && token(&mut buffer).is_some_and(|token| token.reply(&[]).is_ok());
    }
    let Some(token) = token(&mut buffer) else {
        return false;
    };
    let (tag, generation) = token.into_parts();
    (registers[register::INFO], registers[register::GENERATION]) = (tag, generation);
    registers[register::CALL] = match which {
        11 => number::READ,
        12 => number::WRITE,
        13 => number::REPLY_BYTES,
        14 => number::REPLY_VECTOR,
        _ => call::word(operation::REPLY_BYTES_RECEIVE, prey.handle()),
    };
    if which == 14 {
        registers[register::WORD1] = count(length);
    }
    // SAFETY: as in `as_client`.
    let out = unsafe { riposte::raw_call(registers, [0; 5]) };
    // SAFETY: the parts of the token that was taken apart, whose client still waits.
    refused(out)
        && unsafe { Token::from_parts(tag, generation) }
            .reply(&[0; 4])
            .is_ok()
}

/// So many parts that their list has two of them, or `length` bytes in a sense: the product does
/// not fit a word.
fn count(length: u32) -> u32 {
    if length == 16 { 2 } else { 0x2000_0001 }
}

/// Reads and writes beyond the client's buffers, into and from the attacker's own: nothing comes,
/// and nothing goes.
fn beyond() -> bool {
    let mut buffer = [0; SENT];
    let Some(token) = token(&mut buffer) else {
        return false;
    };
    let untouched = [SENT as u32, 0x7FFF_FFF8, 0x8000_0000, 0xFFFF_FFF0]
        .into_iter()
        .all(|offset| {
            let mut copy = [0x11; 16];
            !matches!(token.read(offset, &mut copy), Ok(1..))
                && copy == [0x11; 16]
                && !matches!(token.write(offset, &copy), Ok(1..))
        });
    untouched && token.reply(&[]).is_ok()
}

/// The right to answer the client, all of whose bytes have come.
fn token(buffer: &mut [u8; SENT]) -> Option<Token> {
    let prey = riposte::channel("prey").unwrap();
    match prey.receive(buffer) {
        Ok(Event::Message(message)) if message.bytes() == [0x5A; SENT] => {
            Some(message.into_token())
        }
        _ => None,
    }
}

/// Whether the range was refused.
fn refused(out: Registers) -> bool {
    let error = Error::from_number(out[register::CALL]);
    out[register::INFO] & info::ERROR != 0
        && matches!(
            error,
            Some(Error::BadAddress | Error::CannotLend | Error::BadArgument)
        )
}
