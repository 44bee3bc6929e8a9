//! What is no word to wait at.

use check::equal;
use riposte::abi::call::number::{
    FUTEX_GIVE, FUTEX_LOCK, FUTEX_REQUEUE, FUTEX_UNLOCK, FUTEX_WAIT, FUTEX_WAKE,
};
use riposte::abi::{Error, info, register};

/// The error of a call about a word, 0 if it has none.
fn error(call: u32, address: u32, value: u32) -> u32 {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = call;
    registers[register::WORD0] = address;
    registers[register::WORD1] = value;
    // SAFETY: every call here is refused, and changes nothing.
    let out = unsafe { riposte::raw_call(registers, [0; 5]) };
    if out[register::INFO] & info::ERROR == 0 {
        0
    } else {
        out[register::CALL]
    }
}

const CALLS: [u32; 6] = [
    FUTEX_WAIT,
    FUTEX_WAKE,
    FUTEX_REQUEUE,
    FUTEX_LOCK,
    FUTEX_UNLOCK,
    FUTEX_GIVE,
];

/// Words that are none, each with each call.
pub fn refused() {
    let here = [1_u32; 2];
    let own = here.as_ptr().addr() as u32;
    let bad = |error: Error| [error as u32; 6];
    for offset in 1..4 {
        let found = CALLS.map(|call| error(call, own + offset, 1));
        equal("a word is aligned", found, bad(Error::BadArgument));
    }
    for address in [0, 0x5000_0000, u32::MAX - 3] {
        let found = CALLS.map(|call| error(call, address, 0));
        equal("a word is the process's own", found, bad(Error::BadAddress));
    }
    equal(
        "what holds something else is not waited at",
        error(FUTEX_WAIT, own, 0),
        Error::WouldBlock as u32,
    );
    let constant = core::ptr::from_ref(&CALLS).addr() as u32;
    equal(
        "a lock or a semaphore is in memory that can be written",
        [FUTEX_LOCK, FUTEX_GIVE].map(|call| error(call, constant, 0)),
        [Error::BadAddress as u32; 2],
    );
}
