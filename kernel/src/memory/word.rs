//! Words at which threads wait.

use core::num::NonZeroU32;

use crate::{Readable, Writable};

/// A word that the process whose thread named it may read: aligned, and in memory that it has for
/// good, or in a region that it has mapped. It is known by where the kernel sees it, so that processes which share memory meet there. No
/// thread waits at the machine's address 0. Only the door makes one:
///
/// ```compile_fail,E0624
/// riposte_kernel::Word::new(4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(NonZeroU32);

impl Word {
    /// The aligned word at this address of the machine. Only the door ([`crate::memory::door`]) has
    /// checked one.
    #[inline(always)]
    pub(super) const fn new(machine: u32) -> Option<Self> {
        match NonZeroU32::new(machine) {
            Some(machine) => Some(Self(machine)),
            None => None,
        }
    }

    /// Where the kernel sees it.
    #[must_use]
    #[inline(always)]
    pub const fn address(self) -> u32 {
        self.0.get()
    }

    /// Its four bytes.
    #[inline(always)]
    pub(crate) const fn bytes(self) -> Readable {
        Readable::new(self.address(), 4)
    }
}

/// What a thread waits for at a word: a wake, or the lock that the word is. (One number says both: words are aligned.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait(NonZeroU32);

impl Wait {
    /// What makes the number of the lock from the word's.
    const LOCK: u32 = 1;

    /// For a wake.
    #[inline(always)]
    pub const fn wake(word: Word) -> Self {
        Self(word.0)
    }

    /// For the lock.
    #[inline(always)]
    pub fn lock(word: Word) -> Self {
        Self(word.0 | Self::LOCK)
    }

    #[inline(always)]
    pub const fn is_lock(self) -> bool {
        self.number() & Self::LOCK != 0
    }

    /// No other wait has it.
    #[inline(always)]
    pub const fn number(self) -> u32 {
        self.0.get()
    }

    /// Where it waits.
    #[inline(always)]
    pub const fn word(self) -> Option<Word> {
        Word::new(self.number() & !Self::LOCK)
    }
}

/// A [`Word`] that the process may also write.
#[derive(Clone, Copy)]
pub(crate) struct WritableWord(Word);

impl WritableWord {
    /// Only the door has checked one.
    #[inline(always)]
    pub(super) const fn new(word: Word) -> Self {
        Self(word)
    }

    /// The word.
    #[inline(always)]
    pub(crate) const fn word(self) -> Word {
        self.0
    }

    /// Its four bytes.
    #[inline(always)]
    pub(crate) const fn bytes(self) -> Writable {
        Writable::new(self.0.address(), 4)
    }
}

#[cfg(feature = "snapshot")]
impl crate::snapshot::Word for Wait {
    fn pack(self, to: &mut crate::snapshot::Writer) {
        crate::snapshot::Word::pack(self.number(), to);
    }

    fn unpack(from: &mut crate::snapshot::Reader) -> Self {
        let number = crate::snapshot::Word::unpack(from);
        Self(NonZeroU32::new(number).expect("no word is at 0"))
    }
}
