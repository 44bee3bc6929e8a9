//! The records of one client.

use crate::Memory;
use crate::record::{LONGEST, Record};

/// Words before the records: where the oldest one begins, and where the newest one ends.
const HEAD: usize = 2;
/// The longest record.
const LONGEST_RECORD: Record = Record {
    sequence: 0,
    time: 0,
    level: 1,
    length: LONGEST,
};
/// Words of the smallest ring. It holds any two records: the newest one never leaves for the next, and says which
/// sequence that has. A word that stays free tells a full ring from an empty one.
pub const LEAST_WORDS: usize = HEAD + 2 * LONGEST_RECORD.words() + 1;

/// The last sequence that any log comes to: there are others behind it, so that none has to follow the last number.
const MOST: u64 = u64::MAX >> 1;

/// Where a ring lies.
#[derive(Clone, Copy)]
pub struct Ring {
    base: usize,
    /// Words of records.
    size: usize,
}

impl Ring {
    /// The ring of so many words from `base` on: at least [`LEAST_WORDS`].
    pub const fn new(base: usize, words: usize) -> Ring {
        Ring {
            base,
            size: words - HEAD,
        }
    }

    /// Takes all records away.
    pub fn clear(self, memory: &mut impl Memory) {
        memory.store(self.base, 0);
        memory.store(self.base + 1, 0);
    }

    /// Whether there are whole records one after the other, from the oldest one's beginning to the newest one's end.
    pub fn is_sound(self, memory: &impl Memory) -> bool {
        let (head, tail) = self.ends(memory);
        if head >= self.size || tail >= self.size {
            return false;
        }
        let mut left = self.used(memory);
        let mut position = head;
        let mut last = None;
        while left > 0 {
            let Some(record) = self.record(memory, position) else {
                return false;
            };
            let follows = last.is_none_or(|last| last < record.sequence);
            if record.words() > left || !follows || record.sequence > MOST {
                return false;
            }
            left -= record.words();
            position = self.behind(position, record);
            last = Some(record.sequence);
        }
        true
    }

    /// Adds a record; the oldest ones leave as far as it needs their room.
    pub fn push(self, memory: &mut impl Memory, record: Record, text: &[u8]) {
        while self.size - 1 - self.used(memory) < record.words() {
            let (head, _) = self.ends(memory);
            let Some(oldest) = self.record(memory, head) else {
                // Never: the ring is sound.
                return self.clear(memory);
            };
            memory.store(self.base, self.behind(head, oldest) as u32);
        }
        let (_, tail) = self.ends(memory);
        for (n, word) in record.encode(text).enumerate() {
            memory.store(self.place(tail + n), word);
        }
        // Now it is one.
        memory.store(self.base + 1, self.behind(tail, record) as u32);
    }

    /// Its records from the oldest one on, and where each lies.
    pub fn records(self, memory: &impl Memory) -> impl Iterator<Item = (usize, Record)> {
        let (mut position, tail) = self.ends(memory);
        core::iter::from_fn(move || {
            let here = position;
            let record = (here != tail).then(|| self.record(memory, here))??;
            position = self.behind(here, record);
            Some((here, record))
        })
    }

    /// Copies the text of the record at `position`, as far as there is room. Returns how many bytes.
    pub fn text(
        self,
        memory: &impl Memory,
        position: usize,
        record: Record,
        room: &mut [u8],
    ) -> usize {
        record.text(|n| memory.load(self.place(position + n)), room)
    }

    fn record(self, memory: &impl Memory, position: usize) -> Option<Record> {
        Record::decode(|n| memory.load(self.place(position + n)))
    }

    fn behind(self, position: usize, record: Record) -> usize {
        (position + record.words()) % self.size
    }

    fn place(self, position: usize) -> usize {
        self.base + HEAD + position % self.size
    }

    fn ends(self, memory: &impl Memory) -> (usize, usize) {
        let end = |n| memory.load(self.base + n) as usize;
        (end(0), end(1))
    }

    fn used(self, memory: &impl Memory) -> usize {
        let (head, tail) = self.ends(memory);
        (tail + self.size - head) % self.size
    }
}
