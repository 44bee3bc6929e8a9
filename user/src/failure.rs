//! From a failed call's registers to the error.

use riposte_abi::{Error, info, register};

use crate::Deadline;
use crate::trap::{self, Range, Registers};
use crate::words::pad;

/// The error in `CALL`.
#[cold]
#[inline(never)]
pub(crate) fn error(number: u32) -> Error {
    // A kernel newer than this library may know more errors.
    Error::from_number(number).unwrap_or(Error::BadCall)
}

/// The registers, or the error that they hold.
#[inline(always)]
pub(crate) fn check(registers: Registers) -> Result<Registers, Error> {
    check_word(registers[register::INFO], registers[register::CALL])?;
    Ok(registers)
}

/// Success, or the error in the `CALL` register `call`.
#[inline(always)]
pub(crate) fn check_word(info: u32, call: u32) -> Result<(), Error> {
    if info & info::ERROR == 0 {
        Ok(())
    } else {
        Err(error(call))
    }
}

/// Success, or the error in the `CALL` register `call` of a call that no message answers.
#[inline(always)]
pub(crate) fn check_status(call: u32) -> Result<(), Error> {
    if call == 0 { Ok(()) } else { Err(error(call)) }
}

/// Makes the call with this number about an object, with one more number, which returns a word.
#[inline(always)]
pub(crate) fn ask(number: u32, object: u32, value: u32) -> Result<u32, Error> {
    let (status, [word, _]) = trap::about(number, object, value);
    check_status(status).map(|()| word)
}

/// Makes the call with this word and these first words.
#[inline(always)]
pub(crate) fn perform<const N: usize>(call: u32, words: [u32; N]) -> Result<Registers, Error> {
    check(trap::plain(call, pad(words)))
}

/// As [`perform`], of a call that blocks until `deadline`.
#[inline(always)]
pub(crate) fn perform_until<const N: usize>(
    call: u32,
    words: [u32; N],
    deadline: Deadline,
) -> Result<Registers, Error> {
    if deadline == Deadline::None {
        return perform(call, words);
    }
    let (flag, moment) = deadline.encode();
    perform_at(call, flag, words, moment)
}

/// As [`perform`], of a call with a moment, which is its deadline if `info` says so.
#[inline(always)]
pub(crate) fn perform_at<const N: usize>(
    call: u32,
    info: u32,
    words: [u32; N],
    moment: [u32; 2],
) -> Result<Registers, Error> {
    check(trap::timed(call, info, pad(words), moment, Range::NONE))
}

/// Makes a call that takes extra registers, and is not worth a stub of its own.
pub(crate) fn call(registers: Registers, extra: trap::Extra) -> Result<Registers, Error> {
    check(trap::call(registers, extra))
}

/// Registers for the call with this word, and with these first message words; all others clear.
#[inline(always)]
pub(crate) fn with_words<const N: usize>(call: u32, words: [u32; N]) -> Registers
where
    [u32; N]: crate::MessageWords,
{
    let mut registers = registers(call);
    for (position, word) in register::WORDS.into_iter().zip(words) {
        registers[position] = word;
    }
    registers
}

/// Registers for the call with this word, all others clear.
#[inline(always)]
pub(crate) fn registers(call: u32) -> Registers {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = call;
    registers
}
