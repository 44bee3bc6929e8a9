//! Futexes: threads that wait at a word of memory until somebody wakes them.
//!
//! A word is known by the address at which the kernel sees it, so that processes which share memory
//! meet there, however they see it. Who waits is found by that address ([`crate::sync::words`]), the most
//! urgent first, in order of arrival among equals. Only memory counts that its process has for good, or until it unmaps
//! it, which ends the wait: what is lent to it, or moved, or may be lent by it, is taken away by others.

use core::cell::Cell;

use riposte_abi::{Error, info, register, semaphore::MAX_UNITS, trace::kind};

use crate::{
    Kernel, Port, PriorityList, Thread, Word,
    dispatch::Next,
    ipc::send::may_block,
    limits::FUTEXES,
    memory::word::{Wait, WritableWord},
    sync::words::Spot,
};

/// What objects have only in a system with futexes: then one, else none.
pub(crate) type IfFutexes<T> = [T; (FUTEXES != 0) as usize];

/// In [`Thread::progress`] of a requeue that an interrupt has cut short: it has begun, and how many threads
/// it has woken and moved.
const BEGUN: u32 = 1 << 30;
const COUNT: u32 = 0x7FFF;
const MOVED_SHIFT: u32 = 15;

state! {
/// What a thread has to do with words of memory.
pub(crate) struct Place {
    /// What it waits for at a word.
    pub wait: Cell<Option<Wait>>,
    /// The others that wait at the word at which it is the first.
    pub rest: PriorityList,
    /// What is below it in the tree of the words, as long as it is the first at its own.
    pub branches: [Cell<Option<&'static Thread>>; 2] as detail,
    /// Who owns the lock for which it is the first to wait.
    pub owner: Cell<Option<&'static Thread>>,
    /// The first ones that wait for each lock that it owns.
    pub lockers: PriorityList,
}
}

impl Place {
    pub const fn new() -> Self {
        Self {
            wait: Cell::new(None),
            rest: PriorityList::new(),
            branches: [const { Cell::new(None) }; 2],
            owner: Cell::new(None),
            lockers: PriorityList::new(),
        }
    }
}

impl Thread {
    /// What it waits for at a word.
    #[inline(always)]
    pub(crate) fn wait(&self) -> Option<Wait> {
        self.place.first()?.wait.get()
    }

    /// The word at which it waits, for a wake or for the lock that the word is.
    #[must_use]
    #[inline(always)]
    pub fn word(&self) -> Option<Word> {
        self.wait()?.word()
    }

    /// Whether that is what it waits for at a word.
    #[inline(always)]
    pub(crate) fn waits_for(&self, wait: Wait) -> bool {
        self.wait().map_or(0, Wait::number) == wait.number()
    }

    #[inline(always)]
    pub(crate) fn set_wait(&self, wait: Option<Wait>) {
        if let Some(place) = self.place.first() {
            place.wait.set(wait);
        }
    }

    /// Whether it may simply be made ready, if it waits at a word: its process lives and is not held, and it has no deadline.
    #[inline(always)]
    pub(crate) fn may_be_woken(&self) -> bool {
        !self.process.is_halted() && !self.deadline.is_set()
    }

    /// The threads that wait where it is the first one, itself among them.
    pub(crate) fn line(&'static self) -> impl Iterator<Item = &'static Thread> {
        let rest = self.place.iter().flat_map(|place| place.rest.iter());
        core::iter::once(self).chain(rest)
    }
}

impl Kernel {
    /// `FUTEX_WAIT`: without a deadline, at a word that holds what the caller expects.
    #[inline(always)]
    pub(crate) fn call_futex_wait(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> &'static Thread {
        let [address, expected, ..] = thread.words();
        if thread.register(register::INFO) == 0
            && !thread.repeats()
            && let Ok(word) = thread.writable_word(address)
            && port.word(word.word().bytes()) == expected
        {
            thread.returns_here(port, 0);
            thread.forget_progress();
            self.wait_at(word.word(), thread);
            return self.run(port, Next::Blocked);
        }
        self.call_futex_wait_any(port, thread)
    }

    /// Every other case.
    #[inline(never)]
    fn call_futex_wait_any(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        self.complete(port, thread, self.futex_wait(port, thread))
    }

    /// Waits at a word that holds what the caller expects.
    pub(crate) fn futex_wait(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Next, Error> {
        let [address, expected, ..] = thread.words();
        let deadline = self.futex_deadline(port, thread)?;
        let word = thread.writable_word(address)?.word();
        if port.word(word.bytes()) != expected {
            return Err(Error::WouldBlock);
        }
        may_block(port, deadline)?;
        thread.returns(0);
        self.wait_at(word, thread);
        self.limit(thread, deadline);
        Ok(Next::Blocked)
    }

    /// Wakes who waits at a word. If an interrupt waits, the call comes again for the rest.
    pub(crate) fn futex_wake(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Next, Error> {
        let [address, most, ..] = thread.words();
        no_flags(thread)?;
        let word = thread.writable_word(address)?.word();
        let mut woken = thread.begun();
        if !self.wake_at(port, word, &mut woken, most) {
            thread.keep_progress(woken);
            return Ok(Next::Restart);
        }
        thread.returns(woken);
        Ok(Next::Continue)
    }

    /// `FUTEX_GIVE`: to a thread that waits, without a deadline.
    #[inline(always)]
    pub(crate) fn call_futex_give(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> &'static Thread {
        match self.wake_one(port, thread, |_, _| true) {
            Some(next) => next,
            None => self.call_futex_give_any(port, thread),
        }
    }

    /// `FUTEX_WAKE`: of the one thread that is to be woken, or waits there, without a deadline.
    #[inline(always)]
    pub(crate) fn call_futex_wake(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> &'static Thread {
        let most = thread.register(register::WORD1);
        // A wake that goes on after an interrupt has woken others before.
        let is_one = |spot: &Spot, first| {
            most == 1 || most != 0 && spot.holds_only(first) && thread.progress.get() == 0
        };
        match self.wake_one(port, thread, is_one) {
            Some(next) => next,
            None => self.call_futex_wake_any(port, thread),
        }
    }

    /// Wakes the first thread that waits at the word which `thread` names, if that is all that its call, which has no flag,
    /// does, and that one has no deadline. Returns the thread to run; `None`, and nothing has changed, if it is another case.
    #[inline(always)]
    fn wake_one(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        is_all: impl FnOnce(&Spot, &'static Thread) -> bool,
    ) -> Option<&'static Thread> {
        if thread.register(register::INFO) != 0 || thread.repeats() {
            return None;
        }
        let word = thread
            .writable_word(thread.register(register::WORD0))
            .ok()?;
        let spot = self.words.at(Wait::wake(word.word()));
        let first = spot.first().filter(|first| first.may_be_woken())?;
        if !is_all(&spot, first) {
            return None;
        }
        spot.remove(first);
        first.set_wait(None);
        self.ready.push_back(first);
        self.trace_by_current(kind::FUTEX_WAKE, first);
        thread.returns_here(port, 1);
        thread.forget_progress();
        Some(self.run(port, Next::Continue))
    }

    /// Every other case.
    #[inline(never)]
    fn call_futex_wake_any(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        self.complete(port, thread, self.futex_wake(port, thread))
    }

    /// Every other case.
    #[inline(never)]
    fn call_futex_give_any(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        self.complete(port, thread, self.futex_give(port, thread))
    }

    /// Gives a unit of a semaphore to who waits for one, or else to the semaphore.
    pub(crate) fn futex_give(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Next, Error> {
        let [address, ..] = thread.words();
        no_flags(thread)?;
        let word = thread.writable_word(address)?;
        let Some(spot) = self.spot_of_living(port, Wait::wake(word.word())) else {
            return Ok(Next::Restart);
        };
        let woken = match spot.first() {
            Some(thread) => {
                self.wake_waiter(spot, thread);
                1
            }
            None if add_unit(port, word) => 0,
            None => return Err(Error::WouldBlock),
        };
        thread.returns(woken);
        Ok(Next::Continue)
    }

    /// Wakes some of those who wait at a word, and lets others wait at another one. If an interrupt waits,
    /// the call comes again for the rest, whatever the word holds by then.
    pub(crate) fn futex_requeue(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Next, Error> {
        let [address, expected, most, other, most_moved] = thread.words();
        // More times none wait, and wait again, within one call.
        let (most, most_moved) = (most.min(COUNT), most_moved.min(COUNT));
        no_flags(thread)?;
        let [from, to] = thread.process.words_for_the_same(address, other)?;
        let [from, to] = [from, to].map(WritableWord::word);
        if from == to {
            return Err(Error::BadArgument);
        }
        let progress = thread.begun();
        if progress & BEGUN == 0 && port.word(from.bytes()) != expected {
            return Err(Error::WouldBlock);
        }
        let (mut woken, mut moved) = (progress & COUNT, progress >> MOVED_SHIFT & COUNT);
        // Between the last one that is woken and the first that is moved it looks, too.
        let done = self.wake_at(port, from, &mut woken, most)
            && (woken == progress & COUNT || !port.interrupted())
            && self.move_to(port, from, to, &mut moved, most_moved);
        if !done {
            thread.keep_progress(BEGUN | moved << MOVED_SHIFT | woken);
            return Ok(Next::Restart);
        }
        thread.returns_words(0, 0, [woken, moved, 0, 0, 0]);
        thread.registers[register::GENERATION].set(0);
        Ok(Next::Continue)
    }

    /// The deadline of a call that waits at a word, and has no other flag.
    pub(crate) fn futex_deadline(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Option<u64>, Error> {
        match thread.register(register::INFO) {
            0 => Ok(None),
            flags if flags & !info::DEADLINE != 0 => Err(Error::BadArgument),
            flags => Ok(self.deadline_of(port, thread, flags)),
        }
    }

    /// `thread`, which is on no queue, waits at a word.
    #[inline(always)]
    pub(crate) fn wait_at(&self, word: Word, thread: &'static Thread) {
        let wait = Wait::wake(word);
        thread.set_wait(Some(wait));
        self.words.at(wait).insert(thread);
        self.trace_event(kind::FUTEX_WAIT, thread, || {
            (0, [word.bytes().address(), 0])
        });
    }

    /// Wakes a thread that lives and waits in `spot`. What its call returns is saved since it waits, and it has asked
    /// for nothing else.
    #[inline(never)]
    fn wake_waiter(&self, spot: Spot<'_>, thread: &'static Thread) {
        spot.remove(thread);
        thread.set_wait(None);
        self.deadlines.remove(&thread.deadline);
        self.trace_by_current(kind::FUTEX_WAKE, thread);
        self.make_ready(thread);
    }

    /// Where those are who wait for the same, the first of whom lives. `None` if that one is dead: it waits no more, and
    /// the call is to come again.
    #[inline(always)]
    pub(crate) fn spot_of_living(&self, port: &impl Port, wait: Wait) -> Option<Spot<'_>> {
        let spot = self.words.at(wait);
        let Some(dead) = spot.first().filter(|first| !first.lives()) else {
            return Some(spot);
        };
        self.unlink(port, dead);
        None
    }

    /// Wakes those who wait at a word, one after the other, until `woken` is `most` or nobody waits. False
    /// if an interrupt waits before that.
    fn wake_at(&self, port: &impl Port, word: Word, woken: &mut u32, most: u32) -> bool {
        self.for_each_at(port, word, woken, most, |spot, thread| {
            self.wake_waiter(spot, thread);
        })
    }

    /// Lets those who wait at a word wait at another one, until `moved` is `most` or nobody waits. False if
    /// an interrupt waits before that.
    fn move_to(&self, port: &impl Port, from: Word, to: Word, moved: &mut u32, most: u32) -> bool {
        self.for_each_at(port, from, moved, most, |spot, thread| {
            spot.remove(thread);
            self.wait_at(to, thread);
        })
    }

    /// Does something with each of those who wait at a word and live, the first one first, until it is done with `most`
    /// of them, or nobody waits: it takes them from there. False if an interrupt waits before that.
    #[inline(always)]
    fn for_each_at(
        &self,
        port: &impl Port,
        word: Word,
        done: &mut u32,
        most: u32,
        take: impl Fn(Spot<'_>, &'static Thread),
    ) -> bool {
        let mut is_first = true;
        while *done < most {
            let spot = self.words.at(Wait::wake(word));
            let Some(thread) = spot.first() else { break };
            if !is_first && port.interrupted() {
                return false;
            }
            is_first = false;
            if thread.lives() {
                take(spot, thread);
                *done += 1;
            } else {
                self.unlink(port, thread);
            }
        }
        true
    }

    /// Gives a thread that waits at a word, or for a lock, another priority.
    pub(crate) fn set_priority_at(&self, wait: Wait, thread: &'static Thread, priority: u8) {
        let owner = self.lock_owner(thread);
        self.remove_waiter(wait, thread);
        thread.priority.set(priority);
        match owner {
            Some(owner) => self.add_locker(self.words.at(wait), owner, wait, thread),
            None => self.words.at(wait).insert(thread),
        }
    }

    /// `thread` waits at no word any more, and for no lock.
    pub(crate) fn leave_word(&self, thread: &'static Thread) {
        if let Some(wait) = thread.wait() {
            let owner = self.remove_waiter(wait, thread);
            thread.set_wait(None);
            // Who owned the lock may have lost urgency.
            owner.inspect(|owner| self.refresh(owner));
        }
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

#[inline(always)]
pub(crate) fn no_flags(thread: &'static Thread) -> Result<(), Error> {
    if thread.register(register::INFO) == 0 {
        Ok(())
    } else {
        Err(Error::BadArgument)
    }
}
