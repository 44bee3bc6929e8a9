//! What the kernel's tables hold on a board that stands still, by its memory.

use super::{Contents, Counter, Suspended, Tables};
use crate::plan::Region;

/// The memory of a board.
pub(super) trait Memory {
    /// What lies there, if that can be read.
    fn read(&mut self, region: Region) -> Option<Vec<u8>>;

    /// A word.
    fn word(&mut self, base: u32) -> Option<u32> {
        let bytes = self.read(Region { base, size: 4 })?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }
}

/// A file that holds all of a memory.
pub(super) struct Whole {
    /// Its first address.
    pub base: u32,
    pub bytes: Vec<u8>,
}

impl Memory for Whole {
    fn read(&mut self, Region { base, size }: Region) -> Option<Vec<u8>> {
        let from = base.checked_sub(self.base)? as usize;
        let bytes = self.bytes.get(from..)?.get(..size as usize)?;
        Some(bytes.to_vec())
    }
}

impl Tables {
    /// Where each thread was suspended last, what it has not used of its stack, and what lies where the processes are kept.
    pub(super) fn look(&self, memory: &mut impl Memory) -> Contents {
        let threads = self.bases.iter().zip(&self.stacks);
        let threads = threads.map(|(base, stack)| Suspended {
            counter: self.counter.read(*base, |at| memory.word(at)),
            unused: memory.read(*stack).map(|bytes| unused(&bytes)),
        });
        Contents {
            threads: threads.collect(),
            processes: self.processes.iter().map(|it| memory.read(*it)).collect(),
        }
    }
}

/// The zero bytes at the end of a stack, in whole words.
fn unused(stack: &[u8]) -> u32 {
    let words = stack.chunks(4);
    words.take_while(|word| **word == [0; 4]).count() as u32 * 4
}

impl Counter {
    fn read(self, base: u32, mut word: impl FnMut(u32) -> Option<u32>) -> Option<u32> {
        match self {
            Counter::At(offset) => word(base.checked_add(offset)?),
            Counter::Behind(pointer, offset) => {
                let to = word(base.checked_add(pointer)?)?;
                word(to.checked_add(offset)?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_read_where_it_lies() {
        let memory = |at: u32| (at != 0x30).then_some(at + 1);
        assert_eq!(Counter::At(0x10).read(0x10, memory), Some(0x21));
        assert_eq!(Counter::At(0x20).read(0x10, memory), None);
        assert_eq!(Counter::Behind(0x10, 8).read(0x10, memory), Some(0x2A));
    }

    #[test]
    fn a_stack_is_unused_up_to_its_lowest_word_that_was_written() {
        let mut memory = Whole {
            base: 0x8000_0000,
            bytes: vec![0; 64],
        };
        memory.bytes[8] = 0x44;
        memory.bytes[45] = 1;
        let region = |base, size| Region { base, size };
        let tables = Tables {
            bases: vec![0x8000_0000, 0x8000_003C],
            counter: Counter::At(8),
            stacks: vec![region(0x8000_0020, 32), region(0x8000_0030, 32)],
            processes: vec![region(0x8000_002C, 4), region(0x8000_003C, 8)],
            exit: None,
        };
        let suspended = |counter, unused| Suspended { counter, unused };
        // What lies outside of the memory is not known.
        let expected = Contents {
            threads: vec![suspended(Some(0x44), Some(12)), suspended(None, None)],
            processes: vec![Some(vec![0, 1, 0, 0]), None],
        };
        assert_eq!(tables.look(&mut memory), expected);
    }
}
