//! A system call, put together from C's arguments.

use riposte::abi::{call, info, register};
use riposte::{Registers, raw_call, raw_client_call, raw_short_call};

use crate::types::{riposte_deadline_t, riposte_error_t, riposte_token_t};

/// No error.
pub(crate) const OK: riposte_error_t = 0;
/// No deadline.
const FOREVER: riposte_deadline_t = u64::MAX;

/// A call's registers, not yet given to the kernel.
pub struct Call {
    word: u32,
    info: u32,
    /// Of the client that it is about.
    generation: Option<u32>,
    words: [u32; 5],
    /// If it takes some. The compiler knows, where a call is made, unless that may have a deadline.
    extra: Option<[u32; 5]>,
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
            generation: None,
            words: [0; 5],
            extra: None,
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

    /// About the client that `token` names.
    #[inline(always)]
    pub fn token(mut self, token: riposte_token_t) -> Call {
        self.generation = Some(token.generation);
        self.info(token.tag & info::TAG_MASK)
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
    pub fn at(mut self, moment: u64) -> Call {
        let extra = self.extra.get_or_insert_default();
        (extra[0], extra[1]) = (moment as u32, (moment >> 32) as u32);
        self
    }

    /// With a first extra register that is no deadline.
    #[inline(always)]
    pub fn first(mut self, word: u32) -> Call {
        self.extra.get_or_insert_default()[0] = word;
        self
    }

    /// With a buffer for what comes back.
    #[inline(always)]
    pub fn buffer(mut self, address: u32, length: u32) -> Call {
        let extra = self.extra.get_or_insert_default();
        (extra[2], extra[3]) = (address, length);
        self
    }

    fn registers(&self) -> Registers {
        let mut registers = [0; register::COUNT];
        registers[register::CALL] = self.word;
        registers[register::INFO] = self.info;
        registers[register::GENERATION] = self.generation.unwrap_or(0);
        for (position, word) in register::WORDS.into_iter().zip(self.words) {
            registers[position] = word;
        }
        registers
    }

    /// Makes it.
    #[inline(always)]
    pub fn make(self) -> Result<Registers, riposte_error_t> {
        // SAFETY: the memory that it names is the C caller's to name: see the crate's invariant.
        let out = unsafe {
            match (self.extra, self.generation) {
                (None, None) => raw_short_call(self.word, self.info, self.words),
                (None, Some(it)) => raw_client_call(self.word, self.info, it, self.words),
                (Some(extra), _) => raw_call(self.registers(), extra),
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
