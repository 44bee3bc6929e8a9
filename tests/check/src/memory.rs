//! Messages that carry memory, as the kernel knows them: also such as the library never makes.

use core::ops::Range;

use riposte::abi::call::{self, number, operation};
use riposte::abi::{info, register};
use riposte::{Channel, Connection, Error, Instant, Token, raw_call};

/// In which way a message carries memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The server may read it.
    Lend,
    /// The server may read and write it.
    LendMut,
    /// It is the server's from now on.
    Move,
}

impl Form {
    /// The form of this position.
    #[must_use]
    pub fn from_number(number: u32) -> Form {
        match number {
            0 => Form::Lend,
            1 => Form::LendMut,
            _ => Form::Move,
        }
    }

    fn operation(self) -> u32 {
        match self {
            Form::Lend => operation::LEND,
            Form::LendMut => operation::LEND_MUT,
            Form::Move => operation::MOVE,
        }
    }

    /// What the server finds in place of a length.
    #[must_use]
    pub fn mark(self) -> u32 {
        match self {
            Form::Lend => info::LENT,
            Form::LendMut => info::LENT_MUT,
            Form::Move => info::MOVED,
        }
    }
}

/// A message that carries memory.
#[derive(Clone, Copy)]
pub struct Message {
    /// In which way.
    pub form: Form,
    /// Which: address and length.
    pub memory: (u32, u32),
    /// The words that go with it.
    pub words: [u32; 3],
    /// Until when it waits.
    pub deadline: Option<Instant>,
    /// The reply buffer: address and length.
    pub reply: (u32, u32),
}

impl Message {
    /// One with these words, without a deadline and a reply buffer.
    #[must_use]
    pub fn new(form: Form, memory: (u32, u32), words: [u32; 3]) -> Message {
        Message {
            form,
            memory,
            words,
            deadline: None,
            reply: (0, 0),
        }
    }

    /// Sends it. Returns the words of the reply.
    ///
    /// # Errors
    /// The kernel's.
    pub fn send(&self, connection: &Connection) -> Result<[u32; 5], Error> {
        let mut registers = [0; register::COUNT];
        registers[register::CALL] = call::word(self.form.operation(), connection.handle());
        (registers[register::WORD0], registers[register::WORD1]) = self.memory;
        registers[register::WORD2] = self.words[0];
        registers[register::WORD3] = self.words[1];
        registers[register::WORD4] = self.words[2];
        let mut extra = [0, 0, self.reply.0, self.reply.1, 0];
        if let Some(deadline) = self.deadline {
            registers[register::INFO] = info::DEADLINE;
            extra[0] = deadline.as_nanos() as u32;
            extra[1] = (deadline.as_nanos() >> 32) as u32;
        }
        make(registers, extra).map(words)
    }
}

/// What a receive returned.
pub struct Received {
    registers: [u32; register::COUNT],
}

impl Received {
    /// The mark of memory, or the length of a message in registers.
    #[must_use]
    pub fn mark(&self) -> u32 {
        self.registers[register::INFO] & info::LENGTH_MASK
    }

    /// Whether it is a notice of this kind.
    #[must_use]
    pub fn is_notice(&self, kind: u32) -> bool {
        self.is_any_notice() && self.words()[0] == kind
    }

    /// Whether it is a notice.
    #[must_use]
    pub fn is_any_notice(&self) -> bool {
        self.registers[register::INFO] & info::NOTICE != 0
    }

    /// Its words.
    #[must_use]
    pub fn words(&self) -> [u32; 5] {
        words(self.registers)
    }

    /// The right to answer it.
    pub fn token(&self) -> Token {
        let tag = self.registers[register::INFO] & info::TAG_MASK;
        // SAFETY: the tests touch memory by volatile means alone; what comes of that is what they
        // test.
        unsafe { Token::from_parts(tag, self.registers[register::GENERATION]) }
    }
}

/// Waits for a message or a notice.
///
/// # Errors
/// The kernel's.
pub fn receive(channel: Channel) -> Result<Received, Error> {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = call::word(operation::RECEIVE, channel.handle());
    let registers = make(registers, [0; 5])?;
    Ok(Received { registers })
}

/// Gives up what was moved into the window at `address`.
///
/// # Errors
/// The kernel's.
pub fn release(address: u32) -> Result<(), Error> {
    other(number::RELEASE, (address, 0))
}

/// Takes back into use what has come home of these pages: address and length.
///
/// # Errors
/// The kernel's.
pub fn reclaim(memory: (u32, u32)) -> Result<(), Error> {
    other(number::RECLAIM, memory)
}

fn other(number: u32, memory: (u32, u32)) -> Result<(), Error> {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number;
    (registers[register::WORD0], registers[register::WORD1]) = memory;
    make(registers, [0; 5]).map(|_| ())
}

fn make(
    registers: [u32; register::COUNT],
    extra: [u32; 5],
) -> Result<[u32; register::COUNT], Error> {
    // SAFETY: what the kernel may write is named by the tests alone, which touch it by volatile
    // means.
    let out = unsafe { raw_call(registers, extra) };
    if out[register::INFO] & info::ERROR == 0 {
        Ok(out)
    } else {
        Err(Error::from_number(out[register::CALL]).unwrap_or(Error::BadCall))
    }
}

fn words(registers: [u32; register::COUNT]) -> [u32; 5] {
    register::WORDS.map(|position| registers[position])
}

/// Reads the word at `address`, whatever comes of it.
#[must_use]
pub fn load(address: u32) -> u32 {
    // SAFETY: none: what stops it, if it is not the process's, is what is tested.
    unsafe { (address as *const u32).read_volatile() }
}

/// Writes the word at `address`, whatever comes of it.
pub fn store(address: u32, word: u32) {
    // SAFETY: as in `load`.
    unsafe { (address as *mut u32).write_volatile(word) };
}

/// The addresses of the words of some memory.
pub fn words_of(memory: (u32, u32)) -> impl Iterator<Item = u32> {
    let addresses: Range<u32> = memory.0..memory.0 + memory.1;
    addresses.step_by(4)
}

/// What [`fill`] writes at an offset.
#[must_use]
pub fn pattern(seed: u32, offset: u32) -> u32 {
    (seed << 24 | offset).wrapping_mul(0x9E37_79B1) | 1
}

/// Fills memory with what `seed` makes.
pub fn fill(memory: (u32, u32), seed: u32) {
    for address in words_of(memory) {
        store(address, pattern(seed, address - memory.0));
    }
}

/// Whether memory is as [`fill`] leaves it.
#[must_use]
pub fn is_filled(memory: (u32, u32), seed: u32) -> bool {
    words_of(memory).all(|address| load(address) == pattern(seed, address - memory.0))
}

/// Whether memory is all zero.
#[must_use]
pub fn is_zero(memory: (u32, u32)) -> bool {
    words_of(memory).all(|address| load(address) == 0)
}
