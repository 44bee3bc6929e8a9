//! Has its registers full of secrets whenever it calls, and goes on as a message says.
#![no_std]

use check::attack::{SECRET, order};
use check::machine;
use riposte::abi::{call, info, register};

static BYTES: [u8; 8] = [0xB7; 8];

#[riposte::main]
fn main() {
    let channel = riposte::channel("keeper").unwrap().handle();
    let secrets = machine::filling(SECRET);
    let make = |message| machine::exchange(message, secrets).0;
    let wait = [
        call::word(call::operation::RECEIVE, channel),
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    let mut message = make(wait);
    loop {
        let mut answer = [0; register::COUNT];
        answer[register::INFO] = message[register::INFO] & info::TAG_MASK;
        answer[register::GENERATION] = message[register::GENERATION];
        let operation = match message[register::WORD0] {
            order::REFUSE => call::operation::REPLY_ERROR_RECEIVE,
            order::BYTES => {
                answer[register::WORD0] = BYTES.as_ptr().addr() as u32;
                answer[register::WORD1] = BYTES.len() as u32;
                call::operation::REPLY_BYTES_RECEIVE
            }
            order::ANSWER_FIRST => {
                answer[register::CALL] = call::number::REPLY;
                let _ = make(answer);
                message = make(wait);
                continue;
            }
            order::FAULT => {
                check::memory::store(0, make([0; register::COUNT])[register::CALL]);
                continue;
            }
            _ => call::operation::REPLY_RECEIVE,
        };
        answer[register::CALL] = call::word(operation, channel);
        message = make(answer);
    }
}
