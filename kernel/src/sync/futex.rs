//! Futexes: threads that wait at a word of memory until somebody wakes them.
//!
//! A word is known by the address at which the kernel sees it, so that processes which share memory
//! meet there, however they see it. Who waits is in a bucket by that address, the most urgent first, in
//! order of arrival among equals. Only memory counts that its process has for good: what is lent to it,
//! or moved, or may be lent by it, goes away while somebody waits.

use core::cell::Cell;

use riposte_abi::{Error, info, register, semaphore::MAX_UNITS};

use crate::{
    Kernel, List, Port, Thread, Wake, Word, ipc::send::may_block, kernel::Next, limits::FUTEXES,
    memory::word::WritableWord,
};

/// What objects have only in a system with futexes: then one, else none.
pub(crate) type IfFutexes<T> = [T; (FUTEXES != 0) as usize];

/// What a thread has to do with words of memory.
pub(crate) struct Place {
    /// The word at which it waits, for a wake or for the lock that the word is.
    pub word: Cell<Option<Word>>,
    /// Who owns the lock that it waits for.
    pub owner: Cell<Option<&'static Thread>>,
    /// Who waits for a lock that it owns, the most urgent first.
    pub lockers: List,
}

impl Place {
    pub const fn new() -> Self {
        Self {
            word: Cell::new(None),
            owner: Cell::new(None),
            lockers: List::new(),
        }
    }
}

/// The threads that wait at words, by the words.
pub(crate) struct Buckets {
    pub(crate) lists: [List; FUTEXES],
}

impl Buckets {
    pub const fn new() -> Self {
        Self {
            lists: [const { List::new() }; FUTEXES],
        }
    }

    /// Where those wait who wait at this word. None without futexes.
    #[inline(always)]
    pub fn of(&self, word: Word) -> Option<&List> {
        // Neighbours and multiples of a power of two lie apart (the golden ratio's bits).
        const SPREAD: u32 = 0x9E37_79B1;
        const SHIFT: u32 = {
            let shift = FUTEXES.leading_zeros() + 33 - usize::BITS;
            if shift < 32 { shift } else { 31 }
        };
        let index = word.address().wrapping_mul(SPREAD) >> SHIFT;
        self.lists.get(index as usize)
    }

    /// The most urgent thread that waits at this word.
    #[inline(always)]
    pub fn first_at(&self, word: Word) -> Option<&'static Thread> {
        self.of(word)?.iter().find(|thread| thread.is_at(word))
    }
}

impl Thread {
    /// The word at which it waits, for a wake or for the lock that the word is.
    #[must_use]
    #[inline(always)]
    pub fn word(&self) -> Option<Word> {
        self.place.first()?.word.get()
    }

    /// Whether it waits at this word.
    #[inline(always)]
    pub(crate) fn is_at(&self, word: Word) -> bool {
        self.word() == Some(word)
    }

    /// Whether it waits at a word, or for a lock.
    #[inline(always)]
    pub(crate) fn is_at_word(&self) -> bool {
        self.word().is_some()
    }

    #[inline(always)]
    pub(crate) fn set_word(&self, word: Option<Word>) {
        if let Some(place) = self.place.first() {
            place.word.set(word);
        }
    }
}

impl Kernel {
    /// Waits at a word that holds what the caller expects.
    pub(crate) fn futex_wait(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Next, Error> {
        let [address, expected, ..] = thread.words();
        let deadline = self.futex_deadline(port, thread)?;
        let word = thread.process.word(address)?;
        if port.word(word.bytes()) != expected {
            return Err(Error::WouldBlock);
        }
        may_block(port, deadline)?;
        thread.returns(0);
        self.wait_at(word, thread);
        self.limit(thread, deadline);
        Ok(Next::Blocked)
    }

    /// Wakes who waits at a word.
    pub(crate) fn futex_wake(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<(), Error> {
        let [address, most, ..] = thread.words();
        no_flags(thread)?;
        let word = thread.process.writable_word(address)?.word();
        thread.returns(self.wake_at(port, word, most));
        Ok(())
    }

    /// Gives a unit of a semaphore to who waits for one, or else to the semaphore.
    pub(crate) fn futex_give(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<(), Error> {
        let [address, ..] = thread.words();
        no_flags(thread)?;
        let word = thread.process.writable_word(address)?;
        let woken = self.wake_at(port, word.word(), 1);
        if woken == 0 && !add_unit(port, word) {
            return Err(Error::WouldBlock);
        }
        thread.returns(woken);
        Ok(())
    }

    /// Wakes some of those who wait at a word, and lets others wait at another one.
    pub(crate) fn futex_requeue(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<(), Error> {
        let [address, expected, most, other, most_moved] = thread.words();
        no_flags(thread)?;
        let [from, to] = thread.process.words_for_the_same(address, other)?;
        let [from, to] = [from, to].map(WritableWord::word);
        if from == to {
            return Err(Error::BadArgument);
        }
        if port.word(from.bytes()) != expected {
            return Err(Error::WouldBlock);
        }
        let woken = self.wake_at(port, from, most);
        let moved = self.move_to(from, to, most_moved);
        thread.returns_words(0, 0, [woken, moved, 0, 0, 0]);
        thread.registers[register::GENERATION].set(0);
        Ok(())
    }

    /// The deadline of a call that waits at a word, and has no other flag.
    pub(crate) fn futex_deadline(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Option<u64>, Error> {
        let flags = thread.register(register::INFO);
        if flags & !info::DEADLINE != 0 {
            return Err(Error::BadArgument);
        }
        Ok(self.deadline_of(port, thread, flags))
    }

    /// `thread`, which is on no queue, waits at a word.
    #[inline]
    pub(crate) fn wait_at(&self, word: Word, thread: &'static Thread) {
        if let Some(list) = self.futexes.of(word) {
            thread.set_word(Some(word));
            list.insert(thread);
        }
    }

    fn wake_at(&self, port: &impl Port, word: Word, most: u32) -> u32 {
        let mut woken = 0;
        while woken < most
            && let Some(thread) = self.futexes.first_at(word)
        {
            self.wake(port, thread, Wake::Done);
            woken += 1;
        }
        woken
    }

    fn move_to(&self, from: Word, to: Word, most: u32) -> u32 {
        let mut moved = 0;
        while moved < most
            && let Some(thread) = self.futexes.first_at(from)
        {
            self.list_of(thread).inspect(|list| list.remove(thread));
            self.wait_at(to, thread);
            moved += 1;
        }
        moved
    }

    /// The list on which a thread is that waits at a word, or for a lock.
    pub(crate) fn list_of(&self, thread: &'static Thread) -> Option<&List> {
        let place = thread.place.first()?;
        match place.owner.get() {
            Some(owner) => owner.place.first().map(|place| &place.lockers),
            None => self.futexes.of(place.word.get()?),
        }
    }

    /// Gives a thread that waits at a word, or for a lock, another priority.
    pub(crate) fn set_priority_at_word(&self, thread: &'static Thread, priority: u8) {
        self.list_of(thread).inspect(|list| list.remove(thread));
        thread.priority.set(priority);
        self.list_of(thread).inspect(|list| list.insert(thread));
    }

    /// `thread` waits at no word any more, and for no lock.
    pub(crate) fn leave_word(&self, thread: &'static Thread) {
        self.list_of(thread).inspect(|list| list.remove(thread));
        thread.set_word(None);
        self.leave_owner(thread);
    }
}

/// Adds a unit to a semaphore for which nobody waits, if there is room for it; whether there was.
#[inline(always)]
pub(crate) fn add_unit(port: &impl Port, word: WritableWord) -> bool {
    let units = port.word(word.word().bytes()) & MAX_UNITS;
    if units == MAX_UNITS {
        return false;
    }
    port.set_word(word.bytes(), units + 1);
    true
}

pub(crate) fn no_flags(thread: &'static Thread) -> Result<(), Error> {
    if thread.register(register::INFO) == 0 {
        Ok(())
    } else {
        Err(Error::BadArgument)
    }
}
