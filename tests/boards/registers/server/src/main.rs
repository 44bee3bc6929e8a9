//! Fills its registers with secrets and answers with nothing; then says what its own registers
//! held when it received.
#![no_std]

use check::machine;
use riposte::abi::{
    call::{self, number},
    info,
};

/// What must not be seen elsewhere.
const SECRET: u32 = 0x5EC2_E700;
/// What the client's registers hold.
const FOREIGN: u32 = 0x1111_1100;

#[riposte::main]
fn main() {
    let channel = riposte::channel("secrets").unwrap().handle();
    let secrets = machine::filling(SECRET);
    let wait = call::word(call::operation::RECEIVE, channel);
    let (mut message, mut others) = machine::exchange([wait, 0, 0, 0, 0, 0, 0, 0], secrets);
    let mut strange = false;
    for turn in 0.. {
        // All that was received but the badge and the token, for which there is nothing to hide.
        let [_, word0, tag, generation, rest @ ..] = message;
        strange |= rest.iter().chain([&word0]).any(|word| *word != 0)
            || tag & info::LENGTH_MASK != 0
            || !machine::is_clean(&secrets, &others, FOREIGN);
        let tag = tag & info::TAG_MASK;
        let apart = [None, Some(number::REPLY_BYTES), Some(number::REPLY)][turn % 3];
        (message, others) = match apart {
            // One word only if something is wrong.
            None => {
                let answer = if strange { 4 } else { 0 };
                let word = call::word(call::operation::REPLY_RECEIVE, channel);
                let call = [word, answer, tag | answer, generation, 0, 0, 0, 0];
                machine::exchange(call, secrets)
            }
            // Nothing, from where the server may read. The next answer tells what came of it.
            Some(word) => {
                let nothing = core::ptr::from_ref(&secrets).addr() as u32;
                let from = if word == number::REPLY_BYTES {
                    nothing
                } else {
                    0
                };
                let call = [word, from, tag, generation, 0, 0, 0, 0];
                let (done, left) = machine::exchange(call, secrets);
                strange |= done != [0; 8] || !machine::is_clean(&secrets, &left, FOREIGN);
                machine::exchange([wait, 0, 0, 0, 0, 0, 0, 0], secrets)
            }
        };
    }
}
