//! Orders that misuse a call. The client must come to no harm by any of them.

use riposte::abi::{Error, call, info, register};
use riposte::{Message, Registers, Status, Token};

/// Memory of the kernel.
const KERNEL: u32 = 0x2000_0000;

/// Misuses a call as `order` says, then answers the client properly. Returns the error of the
/// misuse, 0 if there was none.
pub fn obey(order: u8, message: Message<'_>) -> u32 {
    let (tag, generation) = message.into_token().into_parts();
    // SAFETY: nothing is lent to this process.
    let forge = |tag, generation| unsafe { Token::from_parts(tag, generation) };
    let token = || forge(tag, generation);
    match order {
        // Answers twice.
        b'2' => {
            token().reply(b"once").unwrap();
            number(token().reply(b"twice").map(|_| ()))
        }
        // Forges the token: another generation, another thread, a thread that can't be.
        b'f' => {
            let forged = [
                forge(tag, generation ^ 1),
                forge(tag ^ (1 << info::THREAD_SHIFT), generation),
                forge(tag | (0xFF << info::THREAD_SHIFT), generation),
                forge(tag ^ (1 << info::HIGH_SHIFT), generation),
            ];
            let all = forged.map(|token| number(token.reply(b"forged").map(|_| ())));
            let expected = Error::NoSuchClient as u32;
            let wrong = all.into_iter().find(|error| *error != expected);
            token().reply(b"genuine").unwrap();
            wrong.unwrap_or(expected)
        }
        // Answers with bytes that are not its own.
        b'b' => {
            let error = reply_raw(tag, generation, call::number::REPLY_BYTES, [KERNEL, 30]);
            token().reply(b"own bytes").unwrap();
            error
        }
        // Reads the client's message into memory that is not its own.
        b'i' => {
            let error = reply_raw(tag, generation, call::number::READ, [KERNEL, 30]);
            token().reply(b"still here").unwrap();
            error
        }
        // Answers with more words than there are.
        b'n' => {
            let error = reply_raw(tag | 31, generation, call::number::REPLY, [0, 0]);
            token().reply(b"five at most").unwrap();
            error
        }
        // Answers with more parts than may be.
        b'p' => {
            let error = reply_raw(tag, generation, call::number::REPLY_VECTOR, [KERNEL, 1000]);
            token().reply(b"few parts").unwrap();
            error
        }
        _ => {
            token().reply_error(Status(1)).unwrap();
            0
        }
    }
}

fn reply_raw(tag: u32, generation: u32, number: u32, words: [u32; 2]) -> u32 {
    let mut registers: Registers = [0; register::COUNT];
    registers[register::CALL] = number;
    registers[register::INFO] = tag;
    registers[register::GENERATION] = generation;
    [registers[register::WORD0], registers[register::WORD1]] = words;
    // SAFETY: the only memory named is not this process's, so that the kernel refuses it.
    let out = unsafe { riposte::raw_call(registers, [0; 5]) };
    if out[register::INFO] & info::ERROR == 0 {
        0
    } else {
        out[register::CALL]
    }
}

fn number(result: Result<(), Error>) -> u32 {
    result.map_or_else(|error| error as u32, |()| 0)
}
