//! Fills its registers with secrets and answers with nothing; then says what its own registers
//! held when it received.
#![no_std]

use check::machine;
use riposte::abi::{call, info};

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
    loop {
        // All that was received but the badge and the token, for which there is nothing to hide.
        let [_, word0, tag, generation, rest @ ..] = message;
        let strange = rest.iter().chain([&word0]).any(|word| *word != 0)
            || tag & info::LENGTH_MASK != 0
            || !machine::is_clean(&secrets, &others, FOREIGN);
        // One word only if something is wrong.
        let answer = if strange { 4 } else { 0 };
        let word = call::word(call::operation::REPLY_RECEIVE, channel);
        let info = tag & info::TAG_MASK | answer;
        (message, others) =
            machine::exchange([word, answer, info, generation, 0, 0, 0, 0], secrets);
    }
}
