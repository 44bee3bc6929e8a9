//! The typed door itself: what a process names is looked up in the ranges that it has.

use riposte_abi::{Error, MAX_PARTS, Part};

use crate::{
    Access, OutOfRange, Process, Range, Readable, Tables, Thread, Window, Writable, limits,
    memory::word::{Word, WritableWord},
};

impl Tables {
    /// The memory that processes share, where the kernel sees it. Its own processes have not begun.
    pub(crate) fn shared_memory(&self) -> impl Iterator<Item = Writable> {
        let whole = |region: &Range| Writable::new(region.machine(region.base), region.size);
        self.regions.iter().map(whole)
    }
}

impl Thread {
    /// As [`Process::readable`], of what mostly lies where its data is: its stack.
    ///
    /// # Errors
    /// As there.
    #[inline(always)]
    pub fn readable(&self, address: u32, length: u32) -> Result<Readable, OutOfRange> {
        match self.data.readable(address, length) {
            Some(range) => Ok(range),
            None => self.process.readable(address, length),
        }
    }

    /// As [`Process::writable`], of what mostly lies where its data is: its stack.
    ///
    /// # Errors
    /// As there.
    #[inline(always)]
    pub fn writable(&self, address: u32, length: u32) -> Result<Writable, OutOfRange> {
        match self.data.writable(address, length) {
            Some(range) => Ok(range),
            None => self.process.writable(address, length),
        }
    }

    /// Bytes of its stack, on a machine that translates no addresses, that the processor stored there with the rights of the
    /// thread, which waits in a call: checked to be its process's still. Where no message carries memory, nothing leaves a process.
    #[inline(always)]
    pub(crate) fn stacked(&self, address: u32, length: u32) -> Option<Readable> {
        if !limits::MEMORY_MESSAGES {
            return Some(Readable::new(address, length));
        }
        self.readable(address, length).ok()
    }

    /// Checks that its process may write the word at `address`, whatever others lend it: its threads may wait there,
    /// wake others, and own it as a lock. It has the word for as long as it lives, or until it unmaps the region that
    /// the word is in, which ends those waits. (One that may only read the word would take the wakes of those who share
    /// it.)
    ///
    /// # Errors
    /// [`Error::BadArgument`]: it is not aligned. [`Error::BadAddress`]: it is not its own, or only to read.
    #[inline(always)]
    pub(crate) fn writable_word(&self, address: u32) -> Result<WritableWord, Error> {
        match self.data.word(address) {
            Some(word) => Ok(WritableWord::new(word)),
            None => self.process.word_behind_data(address),
        }
    }
}

impl Process {
    /// Checks that the process may read these bytes: any address if there are none.
    ///
    /// # Errors
    /// Some of them are not in its memory, or are device registers.
    #[inline]
    pub fn readable(&self, address: u32, length: u32) -> Result<Readable, OutOfRange> {
        self.find(address, length, Range::is_readable)
            .or_else(|| self.exchange.find(address, length, false))
            .map(|machine| Readable::new(machine, length))
            .ok_or(OutOfRange)
    }

    /// Checks that the process may write these bytes: any address if there are none.
    ///
    /// # Errors
    /// Some of them are not in its writable memory.
    #[inline]
    pub fn writable(&self, address: u32, length: u32) -> Result<Writable, OutOfRange> {
        self.find(address, length, Range::is_writable)
            .or_else(|| self.exchange.find(address, length, true))
            .map(|machine| Writable::new(machine, length))
            .ok_or(OutOfRange)
    }

    /// Checks that the process may read a list of `count` parts: it is aligned to words, and not too long.
    ///
    /// # Errors
    /// It is not; an empty list is anywhere.
    #[inline]
    pub(crate) fn parts(&self, address: u32, count: u32) -> Result<Readable, OutOfRange> {
        let fits = count <= MAX_PARTS as u32 && (address.is_multiple_of(4) || count == 0);
        if !fits {
            return Err(OutOfRange);
        }
        self.readable(address, count * size_of::<Part>() as u32)
    }

    /// Whether these bytes, which are some, are in memory that other processes may write too.
    pub(crate) fn shares(&self, address: u32, length: u32) -> bool {
        let is_shared = |range: &Range| range.access == Access::Shared;
        limits::SHARED_MEMORY && self.find(address, length, is_shared).is_some()
    }

    /// [`Thread::writable_word`], where it is not in the first range.
    #[inline(never)]
    fn word_behind_data(&self, address: u32) -> Result<WritableWord, Error> {
        let [_, behind @ ..] = self.memory else {
            return Err(Error::BadAddress);
        };
        self.own_word(behind, address)
            .map(|(word, _)| WritableWord::new(word))
    }

    /// Checks that whoever waits at the word at `from` may be let wait at the one at `to`: the process
    /// may write both, and so may everybody else who may wake them now. That is so if both are in one
    /// range, or both in memory that no other process may write.
    ///
    /// # Errors
    /// As [`Thread::writable_word`]; [`Error::BadAddress`] also if others could wake at `from`, and not at `to`.
    pub(crate) fn words_for_the_same(
        &self,
        from: u32,
        to: u32,
    ) -> Result<[WritableWord; 2], Error> {
        let (from, first) = self.own_word_and_place(from)?;
        let (to, second) = self.own_word_and_place(to)?;
        if first.is_known_to_the_same(second) {
            Ok([from, to].map(WritableWord::new))
        } else {
            Err(Error::BadAddress)
        }
    }

    /// The word at which another process's thread waits, if this one may write it too.
    #[inline(never)]
    pub(crate) fn reaches(&self, word: Word) -> Option<WritableWord> {
        if !self.has_for_good(word) {
            let mut regions = self.exchange.region_windows();
            regions.find(|window| window.reaches(word))?.name();
        }
        Some(WritableWord::new(word))
    }

    /// Whether this word is in memory that the process may write, and has for good.
    #[inline(always)]
    fn has_for_good(&self, word: Word) -> bool {
        self.memory.iter().any(|range| {
            let offset = word.address().wrapping_sub(range.machine(range.base));
            range.holds(range.base.wrapping_add(offset), 4) && range.is_writable()
        })
    }

    /// Whether the process may write this word, and whoever unmaps it finds who waits there, or owns it.
    #[cfg(any(debug_assertions, feature = "snapshot"))]
    pub(crate) fn knows(&self, word: Word) -> bool {
        let mut regions = self.exchange.region_windows();
        self.has_for_good(word)
            || regions.any(|window| window.reaches(word) && window.named.get().is_some())
    }

    /// The word, and where it is: in one of these ranges of its own, or in a region that it has mapped.
    #[inline(always)]
    fn own_word(&self, ranges: &'static [Range], address: u32) -> Result<(Word, Place), Error> {
        if !address.is_multiple_of(4) {
            return Err(Error::BadArgument);
        }
        for range in ranges {
            if range.holds(address, 4)
                && range.is_writable()
                && let Some(word) = Word::new(range.machine(address))
            {
                return Ok((word, Place::Range(range)));
            }
        }
        for window in self.exchange.region_windows() {
            if let Some(word) = window.word(address) {
                return Ok((word, Place::Window(window)));
            }
        }
        Err(Error::BadAddress)
    }

    #[inline(never)]
    fn own_word_and_place(&self, address: u32) -> Result<(Word, Place), Error> {
        self.own_word(self.memory, address)
    }

    /// Where the kernel sees the bytes, all of which are in one range that is `allowed`. Of no bytes
    /// it is not known.
    #[inline]
    fn find(&self, address: u32, length: u32, allowed: impl Fn(&Range) -> bool) -> Option<u32> {
        if length == 0 {
            return Some(address);
        }
        let range = self
            .memory
            .iter()
            .find(|range| allowed(range) && range.holds(address, length));
        range.map(|range| range.machine(address))
    }
}

/// Where a word is of those that a process may name.
#[derive(Clone, Copy)]
enum Place {
    Range(&'static Range),
    /// In the region that is mapped here.
    Window(&'static Window),
}

impl Place {
    /// Whether everybody who may name the words in one of two places of a process may name those in the other: they
    /// are one, or no other process may write either.
    fn is_known_to_the_same(self, other: Place) -> bool {
        let is_private = |range: &Range| range.access != Access::Shared;
        match (self, other) {
            (Place::Range(first), Place::Range(second)) => {
                core::ptr::eq(first, second) || is_private(first) && is_private(second)
            }
            (Place::Window(first), Place::Window(second)) => core::ptr::eq(first, second),
            _ => false,
        }
    }
}
