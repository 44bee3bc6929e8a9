use riposte_abi::call::number;
use riposte_abi::{Error, info, register};

use crate::testing::{self, failed, kernel};
use crate::{Connection, Status, Token};

const TAG: u32 = 0x0203_0400;

fn token() -> Token {
    // What a receive brings has the message's length and flags in the low bits.
    testing::token((TAG | 0x2C, 7))
}

#[test]
fn each_answer_names_the_client_and_says_what_it_is() {
    let calls = kernel(|_| [0; 8]);
    token().reply(b"abc").unwrap();
    token().reply(&[1; 40]).unwrap();
    token().reply_words([1, 2]).unwrap();
    token().reply_error(Status(9)).unwrap();
    token()
        .reply_handle([1, 2, 3, 4], &Connection::from_handle(6))
        .unwrap();
    let expected = [
        (number::REPLY, 3, 0),
        (number::REPLY_BYTES, 0, 0),
        (number::REPLY, 8, 0),
        (number::REPLY_ERROR, 0, 9),
        (number::REPLY_HANDLE, 16, 0),
    ];
    for ((registers, extra), (call, length, status)) in calls.borrow().iter().zip(expected) {
        assert_eq!(registers[register::CALL], call);
        // Without the flag the status is 0, and the kernel's short way is open.
        let flag = if status == 0 { 0 } else { info::STATUS };
        assert_eq!(registers[register::INFO], TAG | flag | length);
        assert_eq!(registers[register::GENERATION], 7);
        assert_eq!(extra[4], status);
    }
    assert_eq!(calls.borrow()[4].0[register::WORD4], 6);
}

#[test]
fn reading_and_writing_say_how_many_bytes_were_copied() {
    let calls = kernel(|_| {
        let mut out = [0; 8];
        out[register::WORD0] = 5;
        out
    });
    let token = token();
    assert_eq!(token.read(100, &mut [0; 8]), Ok(5));
    assert_eq!(token.write(200, &[0; 9]), Ok(5));
    let mut elsewhere = [0; 7];
    let mut part = crate::PartMut::new(&mut elsewhere);
    assert_eq!(token.read_part(300, &mut part), Ok(5));
    let calls = calls.borrow();
    let seen: std::vec::Vec<_> = calls
        .iter()
        .map(|(registers, _)| {
            (
                registers[register::CALL],
                registers[register::WORD1],
                registers[register::WORD2],
            )
        })
        .collect();
    let expected = [
        (number::READ, 8, 100),
        (number::WRITE, 9, 200),
        (number::READ, 7, 300),
    ];
    assert_eq!(seen, expected);
    let _ = token.into_parts();
}

#[test]
fn a_stale_token_is_an_error() {
    kernel(|_| failed(Error::NoSuchClient));
    assert_eq!(token().reply(b""), Err(Error::NoSuchClient));
    assert_eq!(token().read(0, &mut [0]), Err(Error::NoSuchClient));
}
