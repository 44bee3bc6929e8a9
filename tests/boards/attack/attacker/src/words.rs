//! Words at which the attacker waits, wakes, and owns a lock, and that are not its own.

use check::attack::number::WORD_CALLS;
use riposte::abi::{Error, info, register};
use riposte::sync::Word;
use riposte::{Duration, futex};

/// Not 0: the accomplice is to wait at [`HERE`].
static WANTED: Word = Word::new(0);
static HERE: Word = Word::new(0);

/// The accomplice's part. Whether it had one.
pub fn assist() -> bool {
    let wanted = WANTED.load() != 0;
    if wanted {
        let _ = futex::wait(&HERE, 0);
    }
    wanted
}

/// Makes call `which` about the word at `address`, by a thread that has never waited, while the one that it
/// has just woken is next to run. Whether it was refused.
pub fn name_as_word(address: u32, which: u32) -> bool {
    WANTED.store(1);
    while futex::wake(&HERE, 1) != Ok(1) {
        let _ = riposte::sleep(Duration::from_micros(100));
    }
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = WORD_CALLS[which as usize];
    registers[register::WORD0] = address & !3;
    // What the word is to hold, or how many are woken.
    registers[register::WORD1] = 1;
    // SAFETY: none: what the kernel does with the word is what is tested.
    let out = unsafe { riposte::raw_call(registers, [0; 5]) };
    let error = Error::from_number(out[register::CALL]);
    out[register::INFO] & info::ERROR != 0 && error == Some(Error::BadAddress)
}
