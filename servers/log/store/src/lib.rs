//! What the log server keeps: records of each client in a ring of its own, in memory that outlives the server.
//!
//! A ring holds whole records at every moment: the oldest ones leave before their room is written, and the newest one
//! joins when it is there. So a server that was ended between any two stores finds its log when it starts again, and
//! at most the record that it was writing is not in it.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod record;
mod ring;
#[cfg(test)]
mod tests;

pub use record::{LEVELS, LONGEST, Record};

use ring::{LEAST_WORDS, Ring};

/// "RLOG": rings as this version makes them.
const MAGIC: u32 = 0x474F_4C52;
/// Words before the rings: [`MAGIC`], how many rings there are, and words of each.
const HEAD: usize = 3;

/// Words that keep what they hold when the server ends.
pub trait Memory {
    /// How many there are.
    fn words(&self) -> usize;
    /// The word at a position below that.
    fn load(&self, position: usize) -> u32;
    /// Writes it, in one step and after everything written before.
    fn store(&mut self, position: usize, value: u32);
}

/// The memory is too small: so many bytes are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSmall(pub usize);

/// What the memory held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// No log of as many clients: it is the system's first start.
    Nothing,
    /// A log.
    Log {
        /// Rings that were no rings any more, and are empty now.
        damaged: usize,
    },
}

/// The records of all clients.
pub struct Store<M> {
    memory: M,
    rings: usize,
    /// Words of each ring.
    words: usize,
    /// The next record's sequence.
    next: u64,
}

impl<M: Memory> Store<M> {
    /// The log of so many clients in `memory`, with the records that it holds, and what that was. Takes time with the
    /// length of the memory.
    ///
    /// # Errors
    /// [`TooSmall`] if a ring would not hold the longest record.
    pub fn open(memory: M, clients: usize) -> Result<(Store<M>, Held), TooSmall> {
        let least = HEAD + clients * LEAST_WORDS;
        if clients == 0 || memory.words() < least {
            return Err(TooSmall(least * 4));
        }
        let mut store = Store {
            words: (memory.words() - HEAD) / clients,
            memory,
            rings: clients,
            next: 0,
        };
        let held = store.recover();
        let all = (0..clients).flat_map(|client| store.ring(client).records(&store.memory));
        let newest = all.map(|(_, record)| record.sequence).max();
        store.next = newest.map_or(0, |newest| newest + 1);
        Ok((store, held))
    }

    fn recover(&mut self) -> Held {
        let shape = [MAGIC, self.rings as u32, self.words as u32];
        let is_log = (0..)
            .zip(shape)
            .all(|(n, word)| self.memory.load(n) == word);
        let mut damaged = 0;
        for client in 0..self.rings {
            let ring = self.ring(client);
            if !is_log || !ring.is_sound(&self.memory) {
                damaged += 1;
                ring.clear(&mut self.memory);
            }
        }
        if is_log {
            return Held::Log { damaged };
        }
        // What makes it a log comes last.
        for (n, word) in shape.into_iter().enumerate().rev() {
            self.memory.store(n, word);
        }
        Held::Nothing
    }

    fn ring(&self, client: usize) -> Ring {
        Ring::new(HEAD + client * self.words, self.words)
    }

    /// The sequence that the next record will have.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Keeps a record of a client, below the number that [`Store::open`] was told. The client's oldest ones leave as
    /// far as it needs room, and nobody else's. Of the text, [`LONGEST`] bytes are kept.
    pub fn push(&mut self, client: usize, level: u32, time: u64, text: &str) {
        let text = beginning(text, LONGEST);
        let record = Record {
            sequence: self.next,
            time,
            level: level.clamp(1, LEVELS),
            length: text.len(),
        };
        let ring = self.ring(client);
        ring.push(&mut self.memory, record, text.as_bytes());
        self.next += 1;
    }

    /// The oldest record that is kept with a sequence of at least `from`, whose it is, and the bytes of its text in
    /// `room`, as far as that goes. Takes time with the number of records.
    pub fn read(&self, from: u64, room: &mut [u8]) -> Option<(usize, Record, usize)> {
        let first = |client| {
            let mut records = self.ring(client).records(&self.memory);
            let (position, record) = records.find(|(_, record)| record.sequence >= from)?;
            Some((client, position, record))
        };
        let found = (0..self.rings).filter_map(first);
        let (client, position, record) = found.min_by_key(|(.., record)| record.sequence)?;
        let ring = self.ring(client);
        Some((
            client,
            record,
            ring.text(&self.memory, position, record, room),
        ))
    }
}

/// The beginning of a text: whole letters of at most so many bytes.
#[must_use]
pub fn beginning(text: &str, bytes: usize) -> &str {
    let end = text.floor_char_boundary(bytes);
    text.get(..end).unwrap_or_default()
}
