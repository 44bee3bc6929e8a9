//! Locks whose owner inherits the priority of whoever waits for them, and that survive its death.
//!
//! The word of a lock ([`riposte_abi::lock`]) is the truth, and processes change it without the kernel
//! as long as nobody waits. Whoever waits for a lock is found by its word ([`crate::sync::words`]); the first one
//! there lends its priority to the owner that the word named when others began to wait. Whoever the word
//! names by then, or the kernel at the end of that owner, gives the lock to the first of them. A word is only believed as far as its owner could have written it: what names nobody who lives,
//! or a thread of a process that cannot write there, is a lock whose owner has died.

use riposte_abi::{
    Error,
    lock::{OWNER_DIED, OWNER_MASK, WAITERS},
    register,
    thread::INDEX_MASK,
    trace::kind,
};

use crate::{
    Kernel, Port, Thread, Word,
    dispatch::Next,
    ipc::send::may_block,
    limits::POOLS,
    memory::word::{Wait, WritableWord},
    sync::{futex::no_flags, words::Spot},
};

impl Thread {
    /// Who waits for a lock that it owns: one lock after the other, the most urgent first at each.
    pub fn lockers(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        let first = self.place.iter().flat_map(|place| place.lockers.iter());
        first.flat_map(Thread::line)
    }

    /// The most urgent thread that waits for a lock that it owns.
    #[inline]
    pub(crate) fn first_locker(&self) -> Option<&'static Thread> {
        self.place.first()?.lockers.first()
    }

    /// Whether it has the priority that it has if nobody lends it any.
    #[inline(always)]
    fn is_at_base(&self) -> bool {
        self.priority.get() == self.base.get() && self.bound.get().fixed.is_none()
    }

    /// Whether it waits for no thread: for no reply, to be received, for no lock, for nobody's end.
    #[inline(always)]
    fn waits_for_nobody(&self) -> bool {
        self.server.get().is_none()
            && self.sending.get().is_none()
            && self.wait().is_none()
            && !self.is_joining()
    }

    /// Whether somebody waits for a lock that it owns.
    #[inline(always)]
    pub(crate) fn has_lockers(&self) -> bool {
        let place = self.place.first();
        place.is_some_and(|place| !place.lockers.is_empty())
    }
}

impl Kernel {
    /// Who owns the lock that a thread waits for.
    #[must_use]
    pub fn lock_owner(&self, thread: &'static Thread) -> Option<&'static Thread> {
        let place = thread.place.first()?;
        let wait = place.wait.get().filter(|wait| wait.is_lock())?;
        // The first one knows.
        let owner = place.owner.get();
        owner.or_else(|| self.words.at(wait).owner())
    }

    /// The first one at the lock at which `thread` waits, and who owns it.
    pub(crate) fn first_locker_with(&self, thread: &Thread) -> Option<[&'static Thread; 2]> {
        let spot = self.words.at(thread.wait()?);
        Some([spot.first()?, spot.owner()?])
    }

    /// The one thread that `thread` waits for: its server, the owner of a lock, or the one whose end it waits for.
    #[inline]
    pub(crate) fn waits_for_thread(&self, thread: &'static Thread) -> Option<&'static Thread> {
        let server = thread.server.get().or_else(|| self.lock_owner(thread));
        server.or_else(|| thread.joining())
    }

    /// `FUTEX_LOCK`: without a deadline, if nobody waits for the lock, and its owner for nobody.
    #[inline(always)]
    pub(crate) fn call_lock(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        if thread.register(register::INFO) == 0
            && !thread.repeats()
            && let Ok(word) = thread.writable_word(thread.register(register::WORD0))
            && let value = port.word(word.word().bytes())
            && let Some(owner) = self.believed_owner(thread, value & OWNER_MASK, word.word())
            && !owner.is(thread)
            && owner.waits_for_nobody()
            && let wait = Wait::lock(word.word())
            && let spot = self.words.at(wait)
            && spot.first().is_none()
        {
            port.set_word(word.bytes(), value | WAITERS);
            thread.returns_here(port, 0);
            thread.forget_progress();
            thread.set_wait(Some(wait));
            spot.insert(thread);
            give_to_owner(owner, thread);
            self.trace_lock_wait(thread, owner, word.word());
            self.lend(owner, thread.priority.get());
            self.refresh_stale(port);
            return self.run(port, Next::Blocked);
        }
        self.call_lock_any(port, thread)
    }

    /// Every other case.
    #[inline(never)]
    fn call_lock_any(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        self.complete(port, thread, self.lock(port, thread))
    }

    /// `FUTEX_UNLOCK`: to the only thread that waits for the lock, if that has no deadline.
    #[inline(always)]
    pub(crate) fn call_unlock(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        if thread.register(register::INFO) == 0
            && !thread.repeats()
            && let Ok(word) = thread.writable_word(thread.register(register::WORD0))
            && let value = port.word(word.word().bytes())
            && value & OWNER_MASK == thread.id()
            && let spot = self.words.at(Wait::lock(word.word()))
            && let Some(next) = spot.first().filter(|first| first.may_be_woken())
            && spot.holds_only(next)
        {
            let died = value & OWNER_DIED;
            port.set_word(word.bytes(), next.id() | died);
            spot.clear();
            next.set_wait(None);
            next.returns_here(port, u32::from(died != 0));
            let owner = take_from_owner(next);
            owner.inspect(|owner| self.refresh_without(owner, next));
            self.look_for_senders(next);
            self.ready.push_back(next);
            self.trace_by_current(kind::LOCK_GIVEN, next);
            thread.returns_here(port, 0);
            thread.forget_progress();
            self.refresh_stale(port);
            return self.run(port, Next::Continue);
        }
        self.call_unlock_any(port, thread)
    }

    /// Every other case.
    #[inline(never)]
    fn call_unlock_any(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        self.complete(port, thread, self.unlock(port, thread))
    }

    /// `lender` no longer waits for `thread`: nothing follows if it was not what made that as urgent as it is.
    #[inline(always)]
    fn refresh_without(&self, thread: &'static Thread, lender: &Thread) {
        let may_follow = lender.priority.get() >= thread.priority.get();
        if may_follow && !(thread.owes_nobody() && thread.is_at_base()) {
            self.refresh(thread);
        }
    }

    /// Waits until the caller owns a lock.
    pub(crate) fn lock(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let deadline = self.futex_deadline(port, thread)?;
        let [address, ..] = thread.words();
        let word = thread.writable_word(address)?;
        if self.is_unfinished() && !self.settle_death(port, word) {
            return Ok(Next::Restart);
        }
        let value = port.word(word.word().bytes());
        let named = value & OWNER_MASK;
        if named == thread.id() {
            return Err(Error::Deadlock);
        }
        let Some(owner) = self.believed_owner(thread, named, word.word()) else {
            let died = value & OWNER_DIED | if named == 0 { 0 } else { OWNER_DIED };
            port.set_word(word.bytes(), thread.id() | died);
            thread.returns(u32::from(died != 0));
            return Ok(Next::Continue);
        };
        may_block(port, deadline)?;
        // Whoever waits there already, waits for the owner of then, whatever the word says by now.
        let wait = Wait::lock(word.word());
        let spot = self.words.at(wait);
        let owner = spot.owner().unwrap_or(owner);
        tell_owner(owner, word);
        if !self.check_chain(port, Some(thread), thread, owner)? {
            return Ok(Next::Restart);
        }
        port.set_word(word.bytes(), value | WAITERS);
        thread.returns(0);
        self.add_locker(spot, owner, wait, thread);
        self.trace_lock_wait(thread, owner, word.word());
        self.lend(owner, thread.priority.get());
        self.limit(thread, deadline);
        Ok(Next::Blocked)
    }

    /// Gives a lock of the caller's to the most urgent thread that waits for it.
    pub(crate) fn unlock(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        no_flags(thread)?;
        let [address, ..] = thread.words();
        let word = thread.writable_word(address)?;
        let value = port.word(word.word().bytes());
        if value & OWNER_MASK != thread.id() {
            return Err(Error::NotPermitted);
        }
        let Some(spot) = self.spot_of_living(port, Wait::lock(word.word())) else {
            return Ok(Next::Restart);
        };
        thread.returns(0);
        match spot.first() {
            Some(next) => self.hand_lock(port, spot, next, word, value & OWNER_DIED),
            None => port.set_word(word.bytes(), value & OWNER_DIED),
        }
        Ok(Next::Continue)
    }

    /// Gives a lock of a thread that ends to who waits for it: the new owner, or one who is dead and waits no more;
    /// `None` if nobody waits.
    pub(crate) fn abandon_lock(
        &self,
        port: &impl Port,
        owner: &'static Thread,
    ) -> Option<&'static Thread> {
        let next = owner.first_locker()?;
        self.abandon_to(port, next);
        Some(next)
    }

    /// A lock goes from an owner that ends, or has it no more, to `next`, the first that waits for it; or that one is dead
    /// and waits no more.
    pub(crate) fn abandon_to(&self, port: &impl Port, next: &'static Thread) {
        // It could write there when it began to wait, and can as long as it waits and lives.
        let word = next.word().filter(|_| next.lives());
        let reached = word.and_then(|word| next.process.reaches(word));
        debug_assert!(
            word.is_none() || reached.is_some(),
            "a lock in memory of others"
        );
        match reached {
            Some(word) => {
                let spot = self.words.at(Wait::lock(word.word()));
                self.hand_lock(port, spot, next, word, OWNER_DIED);
            }
            None => self.unlink(port, next),
        }
    }

    /// The lock at `word` goes to who waits for it, if the thread that it names has died and others have
    /// not been told; and whoever has died waits for it no more, so that who comes next waits for no owner of theirs.
    /// `false` if the call is to come again.
    fn settle_death(&self, port: &impl Port, word: WritableWord) -> bool {
        let Some(spot) = self.spot_of_living(port, Wait::lock(word.word())) else {
            return false;
        };
        let named = port.word(word.word().bytes()) & OWNER_MASK;
        let owner = self.tables.threads.get((named & INDEX_MASK) as usize);
        if owner.is_none_or(|owner| owner.id() != named || !owner.process.is_dying()) {
            return true;
        }
        if let Some(next) = spot.first() {
            self.hand_lock(port, spot, next, word, OWNER_DIED);
        }
        true
    }

    /// `next`, the first one at the lock `word`, whose place is `spot`, owns it, and whoever else waits for it waits
    /// for `next`.
    fn hand_lock(
        &self,
        port: &impl Port,
        spot: Spot<'_>,
        next: &'static Thread,
        word: WritableWord,
        died: u32,
    ) {
        self.deadlines.remove(&next.deadline);
        let owner = take_from_owner(next);
        let heir = spot.remove(next);
        next.set_wait(None);
        let waiters = if heir.is_some() { WAITERS } else { 0 };
        port.set_word(word.bytes(), next.id() | died | waiters);
        next.returns(u32::from(died != 0));
        if let Some(heir) = heir {
            tell_owner(next, word);
            give_to_owner(next, heir);
        }
        owner.inspect(|owner| self.refresh(owner));
        self.look_for_senders(next);
        self.trace_by_current(kind::LOCK_GIVEN, next);
        self.make_ready(next);
    }

    /// The thread that a lock's word names as its owner, if that lives and could have written it.
    #[inline(always)]
    fn believed_owner(
        &self,
        caller: &'static Thread,
        named: u32,
        word: Word,
    ) -> Option<&'static Thread> {
        let thread = self.tables.threads.get((named & INDEX_MASK) as usize)?;
        if thread.id() != named || !thread.lives() {
            return None;
        }
        let process = thread.process;
        let could = process.is(caller.process) || process.reaches(word).is_some();
        could.then_some(thread)
    }

    /// `thread` waits for the lock whose place is `spot`, and which `owner` has.
    pub(crate) fn add_locker(
        &self,
        spot: Spot<'_>,
        owner: &'static Thread,
        wait: Wait,
        thread: &'static Thread,
    ) {
        let before = spot.first();
        thread.set_wait(Some(wait));
        let goes_first = before.is_none_or(|first| first.priority.get() < thread.priority.get());
        if goes_first {
            before.and_then(take_from_owner);
        }
        spot.insert(thread);
        if goes_first {
            give_to_owner(owner, thread);
        }
    }

    /// `thread` is no longer where it waits. Returns the owner of the lock, if `thread` was the first one there.
    pub(crate) fn remove_waiter(
        &self,
        wait: Wait,
        thread: &'static Thread,
    ) -> Option<&'static Thread> {
        let owner = take_from_owner(thread);
        let heir = self.words.at(wait).remove(thread);
        if let (Some(owner), Some(heir)) = (owner, heir) {
            give_to_owner(owner, heir);
        }
        owner
    }
}

impl Spot<'_> {
    /// Who owns the lock for which threads wait here.
    fn owner(&self) -> Option<&'static Thread> {
        self.first()?.place.first()?.owner.get()
    }
}

/// Somebody waits for the lock at `word`, which `owner` has: its process finds that when it unmaps the word, though
/// it has looked at that thread already.
fn tell_owner(owner: &'static Thread, word: WritableWord) {
    if POOLS {
        owner.process.reaches(word.word());
    }
}

/// `first` is the first that waits for a lock of `owner`. The fast path leaves `owner` alone: it knows of
/// clients only.
#[inline(always)]
fn give_to_owner(owner: &'static Thread, first: &'static Thread) {
    if let (Some(own), Some(place)) = (owner.place.first(), first.place.first()) {
        place.owner.set(Some(owner));
        own.lockers.insert(first);
        if owner.is_known_to_register_ways() {
            owner.leave_register_ways();
        }
    }
}

/// `thread` is no longer the first that waits for a lock. Returns the lock's owner, if it was.
#[inline(always)]
fn take_from_owner(thread: &'static Thread) -> Option<&'static Thread> {
    let owner = thread.place.first()?.owner.take()?;
    owner.place.first()?.lockers.remove(thread);
    Some(owner)
}
