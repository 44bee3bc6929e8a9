//! Locks whose owner inherits the priority of whoever waits for them, and that survive its death.
//!
//! The word of a lock ([`riposte_abi::lock`]) is the truth, and processes change it without the kernel
//! as long as nobody waits. Who waits is on the list of the thread that the word names as the owner;
//! whatever the word says by then, that one, or the kernel at its end, gives the lock to the first of
//! them. A word is only believed as far as its owner could have written it: what names nobody who lives,
//! or a thread of a process that cannot write there, is a lock whose owner has died.

use riposte_abi::{
    Error,
    lock::{OWNER_DIED, OWNER_MASK, WAITERS},
    thread::INDEX_MASK,
};

use crate::{
    Kernel, Port, Thread, Writable,
    dispatch::Next,
    ipc::send::may_block,
    sync::futex::{no_flags, writable_word},
};

impl Thread {
    /// Who owns the lock that it waits for.
    #[must_use]
    #[inline]
    pub fn lock_owner(&self) -> Option<&'static Thread> {
        self.place.first()?.owner.get()
    }

    /// The one thread that it waits for: its server, the owner of a lock, or the one whose end it waits for.
    #[inline]
    pub(crate) fn waits_for_thread(&self) -> Option<&'static Thread> {
        let server = self.server.get().or_else(|| self.lock_owner());
        server.or_else(|| self.joining())
    }

    /// Who waits for a lock that it owns, the most urgent first.
    pub fn lockers(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        self.place.iter().flat_map(|place| place.lockers.iter())
    }

    /// The most urgent thread that waits for a lock that it owns.
    #[inline]
    pub(crate) fn first_locker(&self) -> Option<&'static Thread> {
        self.place.first()?.lockers.first()
    }

    /// Whether somebody waits for a lock that it owns.
    #[inline(always)]
    pub(crate) fn has_lockers(&self) -> bool {
        self.first_locker().is_some()
    }
}

impl Kernel {
    /// Waits until the caller owns a lock.
    pub(crate) fn lock(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let deadline = self.futex_deadline(port, thread)?;
        let word = writable_word(thread)?;
        let value = port.word(word.as_readable());
        let named = value & OWNER_MASK;
        if named == thread.id() {
            return Err(Error::Deadlock);
        }
        let Some(owner) = self.believed_owner(thread, named, word) else {
            let died = value & OWNER_DIED | if named == 0 { 0 } else { OWNER_DIED };
            port.set_word(word, thread.id() | died);
            thread.returns(u32::from(died != 0));
            return Ok(Next::Continue);
        };
        may_block(port, deadline)?;
        self.check_chain(thread, owner)?;
        port.set_word(word, value | WAITERS);
        thread.returns(0);
        thread.set_key(word.address());
        add_locker(owner, thread);
        self.refresh(owner);
        self.limit(thread, deadline);
        Ok(Next::Blocked)
    }

    /// Gives a lock of the caller's to the most urgent thread that waits for it.
    pub(crate) fn unlock(&self, port: &impl Port, thread: &'static Thread) -> Result<(), Error> {
        no_flags(thread)?;
        let word = writable_word(thread)?;
        let value = port.word(word.as_readable());
        if value & OWNER_MASK != thread.id() {
            return Err(Error::NotPermitted);
        }
        thread.returns(0);
        let waits = |locker: &&'static Thread| locker.key() == word.address();
        match thread.lockers().find(waits) {
            Some(next) => {
                self.hand_lock(port, thread, next, value & OWNER_DIED);
                self.refresh(thread);
            }
            None => port.set_word(word, value & OWNER_DIED),
        }
        Ok(())
    }

    /// Gives the locks of a thread that ends to those who wait for them.
    pub(crate) fn abandon_locks(&self, port: &impl Port, owner: &'static Thread) {
        // Who ends with it leaves the list in its turn.
        let lives = |locker: &&'static Thread| locker.process.is_alive();
        while let Some(next) = owner.lockers().find(lives) {
            self.hand_lock(port, owner, next, OWNER_DIED);
        }
    }

    /// `next` owns the lock that it waits for, and whoever else does waits for it. The caller brings the
    /// priority of `owner` up to date.
    fn hand_lock(
        &self,
        port: &impl Port,
        owner: &'static Thread,
        next: &'static Thread,
        died: u32,
    ) {
        let word = Writable::new(next.key(), 4);
        self.deadlines.remove(&next.deadline);
        remove_locker(owner, next);
        next.set_key(0);
        let mut waiters = 0;
        let others = |locker: &&'static Thread| locker.key() == word.address();
        while let Some(other) = owner.lockers().find(others) {
            remove_locker(owner, other);
            add_locker(next, other);
            waiters = WAITERS;
        }
        port.set_word(word, next.id() | died | waiters);
        next.returns(u32::from(died != 0));
        if waiters != 0 {
            self.refresh(next);
        }
        self.make_ready(next);
    }

    /// The thread that a lock's word names as its owner, if that lives and could have written it.
    fn believed_owner(
        &self,
        caller: &'static Thread,
        named: u32,
        word: Writable,
    ) -> Option<&'static Thread> {
        let thread = self.tables.threads.get((named & INDEX_MASK) as usize)?;
        let lives = thread.id() == named && !thread.stopped.get();
        let process = thread.process;
        (lives && (process.is(caller.process) || process.reaches(word.address()))).then_some(thread)
    }

    /// `thread` waits for no lock any more; who owned it may have lost urgency.
    pub(crate) fn leave_owner(&self, thread: &'static Thread) {
        let owner = thread.place.first().and_then(|place| place.owner.take());
        if let Some(owner) = owner {
            self.refresh(owner);
        }
    }
}

/// `thread`, whose word is set, waits for a lock of `owner`.
fn add_locker(owner: &'static Thread, thread: &'static Thread) {
    if let (Some(own), Some(place)) = (owner.place.first(), thread.place.first()) {
        place.owner.set(Some(owner));
        own.lockers.insert(thread);
        owner.leave_register_ways();
    }
}

/// `thread`, whose word stays set, waits for no lock of `owner` any more.
fn remove_locker(owner: &'static Thread, thread: &'static Thread) {
    if let (Some(own), Some(place)) = (owner.place.first(), thread.place.first()) {
        own.lockers.remove(thread);
        place.owner.set(None);
    }
}
