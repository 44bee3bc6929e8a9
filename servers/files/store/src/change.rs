//! Several words that change together, wherever the server is ended.
//!
//! What is to be written goes into a log on the disk first. When its length is there, the change has been made:
//! whoever opens the disk next writes what it says. A single word needs no log.

use crate::layout::{FREE, FREE_COUNT, LOG};
use crate::memory::Memory;

/// Most words of a change: a name, and what belongs to the blocks that become free.
const MOST: usize = 16;
/// Words of the log: its length, and a position and a value for each word.
pub const LOG_WORDS: usize = 1 + 2 * MOST;

/// Words that are to be written.
pub struct Change {
    words: [(u32, u32); MOST],
    count: usize,
}

impl Change {
    /// None.
    pub const fn new() -> Change {
        Change {
            words: [(0, 0); MOST],
            count: 0,
        }
    }

    /// One more: none of those that are there already.
    pub fn set(&mut self, position: usize, value: u32) {
        debug_assert!(self.count < MOST, "no change has more words");
        if let Some(place) = self.words.get_mut(self.count) {
            *place = (position as u32, value);
            self.count += 1;
        }
    }

    /// Writes them: all or none.
    pub fn commit(self, memory: &mut impl Memory) {
        let words = self.words.get(..self.count).unwrap_or_default();
        if let [(position, value)] = *words {
            return memory.store(position as usize, value);
        }
        for (n, (position, value)) in words.iter().enumerate() {
            memory.store(LOG + 1 + 2 * n, *position);
            memory.store(LOG + 2 + 2 * n, *value);
        }
        memory.store(LOG, words.len() as u32);
        // From here on it has been made.
        for (position, value) in words {
            memory.store(*position as usize, *value);
        }
        memory.store(LOG, 0);
    }
}

/// Makes the change that was being made when the server ended, if there was one. Whether the log made sense; else nothing has
/// changed. It names words behind it, before `end`, and those of the free chain.
pub fn replay(memory: &mut impl Memory, end: usize) -> bool {
    let length = memory.load(LOG) as usize;
    let behind = LOG + LOG_WORDS..end;
    let position = |memory: &_, n| Memory::load(memory, LOG + 1 + 2 * n) as usize;
    let makes_sense = |at| matches!(at, FREE | FREE_COUNT) || behind.contains(&at);
    if length > MOST || !(0..length).all(|n| makes_sense(position(memory, n))) {
        return false;
    }
    for n in 0..length {
        let value = memory.load(LOG + 2 + 2 * n);
        memory.store(position(memory, n), value);
    }
    // Who finds nothing to do writes nothing.
    if length > 0 {
        memory.store(LOG, 0);
    }
    true
}
