//! A system call, put together from C's arguments.

use riposte::abi::{call, info, register};
use riposte::{Registers, raw_call, raw_client_call, raw_short_call, raw_timed_call};

use crate::types::{riposte_deadline_t, riposte_error_t, riposte_token_t};

/// No error.
pub(crate) const OK: riposte_error_t = 0;
/// No deadline.
const FOREVER: riposte_deadline_t = u64::MAX;

/// A call that is not yet made.
pub struct Call {
    word: u32,
    info: u32,
    words: [u32; 5],
    beside: Beside,
}

/// What a call has beside its words. The compiler knows where it is made, unless it may have a deadline.
enum Beside {
    Nothing,
    /// The generation of the client that it is about.
    Client(u32),
    Moment([u32; 2]),
    Extra([u32; 5]),
}

impl Call {
    /// The call without a handle that has this number.
    #[inline(always)]
    pub fn number(number: u32) -> Call {
        Call::word(number)
    }

    /// An operation on a handle.
    #[inline(always)]
    pub fn on(operation: u32, handle: u32) -> Call {
        Call::word(call::word(operation, handle))
    }

    #[inline(always)]
    fn word(word: u32) -> Call {
        Call {
            word,
            info: 0,
            words: [0; 5],
            beside: Beside::Nothing,
        }
    }

    /// With these message words; the others are 0.
    #[inline(always)]
    pub fn words<const N: usize>(mut self, words: [u32; N]) -> Call {
        for (place, word) in self.words.iter_mut().zip(words) {
            *place = word;
        }
        self
    }

    /// With these flags, or this length, too.
    #[inline(always)]
    pub fn info(mut self, bits: u32) -> Call {
        self.info |= bits;
        self
    }

    /// With this one thing beside its words.
    #[inline(always)]
    fn with(mut self, beside: Beside) -> Call {
        debug_assert!(matches!(self.beside, Beside::Nothing), "one alone");
        self.beside = beside;
        self
    }

    /// About the client that `token` names.
    #[inline(always)]
    pub fn token(self, token: riposte_token_t) -> Call {
        let tag = token.tag & info::TAG_MASK;
        self.info(tag).with(Beside::Client(token.generation))
    }

    /// That blocks until `deadline`.
    #[inline(always)]
    pub fn until(self, deadline: riposte_deadline_t) -> Call {
        if deadline == FOREVER {
            return self;
        }
        self.at(deadline).info(info::DEADLINE)
    }

    /// Until a moment, for the call that always has one.
    #[inline(always)]
    pub fn at(self, moment: u64) -> Call {
        self.with(Beside::Moment([moment as u32, (moment >> 32) as u32]))
    }

    /// With a first extra register that is no deadline.
    #[inline(always)]
    pub fn first(self, word: u32) -> Call {
        self.with(Beside::Extra([word, 0, 0, 0, 0]))
    }

    /// With a buffer for what comes back.
    #[inline(always)]
    pub fn buffer(self, address: u32, length: u32) -> Call {
        self.with(Beside::Extra([0, 0, address, length, 0]))
    }

    /// Makes it.
    #[inline(always)]
    pub fn make(self) -> Result<Registers, riposte_error_t> {
        let Call {
            word,
            info: bits,
            words,
            beside,
        } = self;
        // SAFETY: the memory that it names is the C caller's to name: see the crate's invariant.
        let out = unsafe {
            match beside {
                Beside::Nothing => raw_short_call(word, bits, words),
                Beside::Client(generation) => raw_client_call(word, bits, generation, words),
                Beside::Moment(moment) => raw_timed_call(word, bits, words, moment),
                Beside::Extra(extra) => {
                    let mut registers = [0; register::COUNT];
                    (registers[register::CALL], registers[register::INFO]) = (word, bits);
                    for (position, word) in register::WORDS.into_iter().zip(words) {
                        registers[position] = word;
                    }
                    raw_call(registers, extra)
                }
            }
        };
        if out[register::INFO] & info::ERROR == 0 {
            Ok(out)
        } else {
            Err(out[register::CALL])
        }
    }

    /// Makes it, and tells how it went.
    #[inline(always)]
    pub fn done(self) -> riposte_error_t {
        self.make().map_or_else(|error| error, |_| OK)
    }

    /// Makes it, and stores word 0 of what comes back, unless `place` is null.
    #[inline(always)]
    pub unsafe fn store<T: From<Word>>(self, place: *mut T) -> riposte_error_t {
        match self.make() {
            Ok(out) => {
                // SAFETY: the caller's promise.
                unsafe { put(place, T::from(Word(out[register::WORD0]))) };
                OK
            }
            Err(error) => error,
        }
    }
}

/// A word that came back from a call.
pub struct Word(pub u32);

impl From<Word> for u32 {
    fn from(word: Word) -> u32 {
        word.0
    }
}

impl From<Word> for usize {
    fn from(word: Word) -> usize {
        word.0 as usize
    }
}

/// The number by which a call names memory.
pub fn address<T>(pointer: *const T) -> u32 {
    pointer.expose_provenance() as u32
}

/// Stores `value`, unless `place` is null.
///
/// # Safety
/// `place` is null, or the C caller's to be written.
pub unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller's promise.
        unsafe { place.write(value) }
    }
}
