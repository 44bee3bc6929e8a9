//! Futexes: threads that wait at a word of memory until somebody wakes them.
//!
//! A word is known by the address at which the kernel sees it, so that processes which share memory
//! meet there, however they see it. Who waits is in a bucket by that address, the most urgent first, in
//! order of arrival among equals. Only memory counts that its process has for good: what is lent to it,
//! or moved, or may be lent by it, goes away while somebody waits.

use core::cell::Cell;

use riposte_abi::{Error, info, register, semaphore::MAX_UNITS};

use crate::{
    Kernel, List, Port, Readable, Thread, Wake, Writable,
    dispatch::Next,
    ipc::send::may_block,
    limits::{FUTEXES, TRANSLATED},
};

/// What objects have only in a system with futexes: then one, else none.
pub(crate) type IfFutexes<T> = [T; (FUTEXES != 0) as usize];

/// In a key: its thread has a deadline, or was held.
const SPECIAL: u32 = 1;

state! {
/// What a thread has to do with words of memory.
pub(crate) struct Place {
    /// The word at which it waits, where the kernel sees it; 0: at none. With [`SPECIAL`] if only the
    /// slow path may wake it.
    pub key: Cell<u32>,
    /// Who owns the lock that it waits for.
    pub owner: Cell<Option<&'static Thread>>,
    /// Who waits for a lock that it owns, the most urgent first.
    pub lockers: List,
    /// The word at which it last waited by the fast path.
    pub waited: Known as kept,
    /// The word at which it last woke somebody by the fast path.
    pub woke: Known as kept,
}
}

impl Place {
    pub const fn new() -> Self {
        Self {
            key: Cell::new(0),
            owner: Cell::new(None),
            lockers: List::new(),
            waited: Known::new(),
            woke: Known::new(),
        }
    }
}

/// What is known of a word that a thread has named before. It is its process's own, and stays so: what
/// was found out once need not be asked again. While turns are planned ([`Kernel::slicing`]) nothing is known,
/// so that who knows something need not ask for that either.
pub(crate) struct Known {
    /// Where the thread sees it.
    address: Cell<u32>,
    /// What is added to that to make the kernel's address, as in [`crate::Range`].
    displacement: [Cell<u32>; TRANSLATED as usize],
    /// Where those are who wait there; none while no word is known.
    list: Cell<Option<&'static List>>,
}

impl Known {
    const fn new() -> Self {
        Self {
            address: Cell::new(0),
            displacement: [const { Cell::new(0) }; _],
            list: Cell::new(None),
        }
    }

    /// The word at `address`, if that is the one that is known.
    #[inline(always)]
    pub fn word(&self, address: u32) -> Option<Readable> {
        let displacement = self.displacement.first().map_or(0, Cell::get);
        (self.address.get() == address)
            .then(|| Readable::new(address.wrapping_add(displacement), 4))
    }

    /// Where those are who wait at the word that is known, if one is.
    #[inline(always)]
    pub fn list(&self) -> Option<&'static List> {
        self.list.get()
    }

    /// The word at `address`, and where those are who wait there, if it is the own one of the process of
    /// `thread`: it is the one that is known from now on. While turns are planned there is none.
    #[inline(always)]
    pub fn learn(
        &self,
        kernel: &'static Kernel,
        thread: &'static Thread,
        address: u32,
    ) -> Option<(Readable, &'static List)> {
        if self.word(address).is_none() || self.list.get().is_none() {
            self.look_up(kernel, thread, address);
        }
        self.word(address).zip(self.list.get())
    }

    #[inline(never)]
    fn look_up(&self, kernel: &'static Kernel, thread: &'static Thread, address: u32) {
        let Ok(word) = own_word(thread, address) else {
            return;
        };
        if kernel.slicing.get() {
            return;
        }
        self.address.set(address);
        if let Some(displacement) = self.displacement.first() {
            displacement.set(word.address().wrapping_sub(address));
        }
        self.list.set(kernel.futexes.of(word.address()));
    }

    /// Nothing is known.
    pub fn forget(&self) {
        self.list.set(None);
    }
}

state! {
/// The threads that wait at words, by the words.
pub(crate) struct Buckets {
    pub(crate) lists: [List; FUTEXES],
}
}

impl Buckets {
    pub const fn new() -> Self {
        Self {
            lists: [const { List::new() }; FUTEXES],
        }
    }

    /// Where those wait who wait at the word of this address. None without futexes.
    #[inline(always)]
    pub fn of(&self, key: u32) -> Option<&List> {
        // Neighbours and multiples of a power of two lie apart (the golden ratio's bits).
        const SPREAD: u32 = 0x9E37_79B1;
        const SHIFT: u32 = {
            let shift = FUTEXES.leading_zeros() + 33 - usize::BITS;
            if shift < 32 { shift } else { 31 }
        };
        self.lists.get((key.wrapping_mul(SPREAD) >> SHIFT) as usize)
    }

    /// The most urgent thread that waits at the word of this address.
    #[inline(always)]
    pub fn first_at(&self, key: u32) -> Option<&'static Thread> {
        self.of(key)?.iter().find(|thread| thread.key() == key)
    }
}

impl Thread {
    /// The word at which it waits, where the kernel sees it; 0: at none.
    #[must_use]
    #[inline(always)]
    pub fn key(&self) -> u32 {
        self.tagged_key() & !SPECIAL
    }

    /// As [`Thread::key`]; no word's address if only the slow path may wake it.
    #[inline(always)]
    pub(crate) fn tagged_key(&self) -> u32 {
        self.place.first().map_or(0, |place| place.key.get())
    }

    /// Only the slow path may wake it from where it waits, if it does.
    pub(crate) fn set_special(&self) {
        if self.is_at_word() {
            self.set_key(self.tagged_key() | SPECIAL);
        }
    }

    /// Whether it waits at a word, or for a lock.
    #[inline(always)]
    pub(crate) fn is_at_word(&self) -> bool {
        self.key() != 0
    }

    #[inline(always)]
    pub(crate) fn set_key(&self, key: u32) {
        if let Some(place) = self.place.first() {
            place.key.set(key);
        }
    }
}

impl Kernel {
    /// No thread knows a word.
    pub(crate) fn forget_words(&self) {
        let places = self.tables.threads.iter().flat_map(|it| &it.place);
        places.for_each(|place| {
            place.waited.forget();
            place.woke.forget();
        });
    }

    /// Waits at a word that holds what the caller expects.
    pub(crate) fn futex_wait(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Next, Error> {
        let [address, expected, ..] = thread.words();
        let deadline = self.futex_deadline(port, thread)?;
        let word = own_word(thread, address)?;
        if port.word(word) != expected {
            return Err(Error::WouldBlock);
        }
        may_block(port, deadline)?;
        thread.returns(0);
        self.wait_at(word.address(), thread);
        if deadline.is_some() {
            thread.set_special();
        }
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
        let word = own_word(thread, address)?;
        thread.returns(self.wake_at(port, word.address(), most));
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
        let word = own_word(thread, address)?;
        let woken = self.wake_at(port, word.address(), 1);
        if woken == 0 && !add_unit(port, writable_word(thread)?) {
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
        let from = own_word(thread, address)?;
        let to = own_word(thread, other)?;
        if from.address() == to.address() {
            return Err(Error::BadArgument);
        }
        if port.word(from) != expected {
            return Err(Error::WouldBlock);
        }
        let woken = self.wake_at(port, from.address(), most);
        let moved = self.move_to(from.address(), to.address(), most_moved);
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
    pub(crate) fn wait_at(&self, key: u32, thread: &'static Thread) {
        if let Some(list) = self.futexes.of(key) {
            thread.set_key(key);
            list.insert(thread);
        }
    }

    fn wake_at(&self, port: &impl Port, key: u32, most: u32) -> u32 {
        let mut woken = 0;
        while woken < most
            && let Some(thread) = self.futexes.first_at(key)
        {
            self.wake(port, thread, Wake::Done);
            woken += 1;
        }
        woken
    }

    fn move_to(&self, from: u32, to: u32, most: u32) -> u32 {
        let mut moved = 0;
        while moved < most
            && let Some(thread) = self.futexes.first_at(from)
        {
            let special = thread.tagged_key() & SPECIAL;
            self.list_of(thread).inspect(|list| list.remove(thread));
            self.wait_at(to, thread);
            thread.set_key(to | special);
            moved += 1;
        }
        moved
    }

    /// The list on which a thread is that waits at a word, or for a lock.
    pub(crate) fn list_of(&self, thread: &'static Thread) -> Option<&List> {
        let place = thread.place.first()?;
        match place.owner.get() {
            Some(owner) => owner.place.first().map(|place| &place.lockers),
            None => self.futexes.of(thread.key()),
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
        thread.set_key(0);
        self.leave_owner(thread);
    }
}

/// The aligned word at `address` that is the thread's process's own to read.
fn own_word(thread: &'static Thread, address: u32) -> Result<Readable, Error> {
    check_aligned(address)?;
    thread
        .process
        .own_readable(address)
        .filter(|word| word.address() != 0)
        .ok_or(Error::BadAddress)
}

/// The aligned word that the call names first, which is the thread's process's own to write.
pub(crate) fn writable_word(thread: &'static Thread) -> Result<Writable, Error> {
    let [address, ..] = thread.words();
    check_aligned(address)?;
    thread
        .process
        .own_writable(address)
        .filter(|word| word.address() != 0)
        .ok_or(Error::BadAddress)
}

/// Adds a unit to a semaphore for which nobody waits, if there is room for it; whether there was.
#[inline(always)]
pub(crate) fn add_unit(port: &impl Port, word: Writable) -> bool {
    let units = port.word(word.as_readable()) & MAX_UNITS;
    if units == MAX_UNITS {
        return false;
    }
    port.set_word(word, units + 1);
    true
}

fn check_aligned(address: u32) -> Result<(), Error> {
    if address.is_multiple_of(4) {
        Ok(())
    } else {
        Err(Error::BadArgument)
    }
}

pub(crate) fn no_flags(thread: &'static Thread) -> Result<(), Error> {
    if thread.register(register::INFO) == 0 {
        Ok(())
    } else {
        Err(Error::BadArgument)
    }
}
