//! Looks for what others left in the registers.
#![no_std]

use check::{holds, machine};
use riposte::abi::call;

/// What is put into the registers that are no part of the message.
const OWN: u32 = 0x1111_1100;
/// What the server puts there.
const SECRET: u32 = 0x5EC2_E700;

#[riposte::main]
fn main() {
    let server = riposte::connect("secrets").unwrap().handle();
    for (kept, clean, word) in [
        (
            "a round trip leaves nothing of others in the other registers",
            "a round trip brings nothing but the message",
            call::word(call::operation::SEND, server),
        ),
        (
            "an answer with bytes, apart from a receive, leaves nothing of others in the other registers",
            "an answer with bytes, apart from a receive, brings nothing but the message",
            call::word(call::operation::SEND, server),
        ),
        (
            "an answer apart from a receive leaves nothing of others in the other registers",
            "an answer apart from a receive brings nothing but the message",
            call::word(call::operation::SEND, server),
        ),
        (
            "after an answer apart, a round trip leaves nothing of others in the other registers",
            "an answer apart from a receive leaves its server nothing of others",
            call::word(call::operation::SEND, server),
        ),
        (
            "the empty call leaves nothing of others in the other registers",
            "the empty call brings nothing",
            call::number::NULL,
        ),
        (
            "a yield leaves nothing of others in the other registers",
            "a yield brings nothing",
            call::number::YIELD,
        ),
        (
            "a bad call leaves nothing of others in the other registers",
            "a bad call brings its error",
            0xEE,
        ),
    ] {
        let given = machine::filling(OWN);
        let (message, found) = machine::exchange([word, 0, 0, 0, 0, 0, 0, 0], given);
        holds(kept, machine::is_clean(&given, &found, SECRET));
        // A status or an error, and an accepted length, are no secrets: both are small.
        let [status, word0, info, accepted, rest @ ..] = message;
        let nothing = rest.iter().chain([&word0]).all(|word| *word == 0);
        holds(
            clean,
            nothing && status < 256 && info < 256 && accepted < 256,
        );
    }
    check::done();
}
