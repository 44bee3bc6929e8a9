//! Locks, which protect what lies beside them.

use core::marker::PhantomData;

use riposte_abi::lock::{OWNER_DIED, OWNER_MASK};

use crate::futex::{self, Locked};
use crate::{Deadline, Duration, Error, Instant, trap};

use super::Word;

/// How long a caller that does not want to wait waits for another thread's copy: long enough for any that is
/// under way.
const COPY: Duration = Duration::from_millis(10);

/// A lock that one thread at a time holds.
///
/// While nobody waits, it is taken and given up without a system call. Who waits is served in order of
/// priority, and the holder has at least the priority of all who wait, also through chains of locks
/// and messages. If a thread or process dies with it, the next one gets it and [is
/// told](LockGuard::owner_died).
///
/// It protects nothing by itself: [`super::Mutex`] does, within a process. Several processes can use
/// one in memory that they share. All zeros is a free lock.
///
/// What a holder that died with it has left may be half done. If that was a thread of this process, which
/// has leaked its guard, references to it may even be in use: so code that makes references out of holding
/// a lock must refuse one whose [owner died](LockGuard::owner_died), as [`super::Mutex`] does.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Lock(Word);

/// A lock that the calling thread holds. It is given up when this is dropped.
#[derive(Debug)]
#[must_use = "the lock is given up at once"]
pub struct LockGuard<'l> {
    held: Held<'l>,
}

/// What every guard is made of.
#[derive(Debug)]
pub(super) struct Held<'l> {
    lock: &'l Lock,
    /// The thread's id.
    thread: u32,
    /// A lock belongs to the thread that took it.
    _thread: PhantomData<*mut ()>,
}

impl Lock {
    /// A free lock.
    #[must_use]
    pub const fn new() -> Lock {
        Lock(Word::new(0))
    }

    /// Takes the lock, and blocks until it is free.
    ///
    /// # Errors
    /// [`Error::Deadlock`] if the holder waits for the caller in the end, or is the caller.
    #[inline(always)]
    pub fn lock(&self) -> Result<LockGuard<'_>, Error> {
        self.lock_until(Deadline::None)
    }

    /// Takes the lock if it is free. Never blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if somebody holds it; [`Error::Deadlock`] if that is the caller.
    #[inline(always)]
    pub fn try_lock(&self) -> Result<LockGuard<'_>, Error> {
        self.lock_until(Deadline::Immediate)
    }

    /// Takes the lock, and blocks until it is free, or until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`Lock::lock`].
    #[inline(always)]
    pub fn lock_until(&self, deadline: impl Into<Deadline>) -> Result<LockGuard<'_>, Error> {
        let deadline = deadline.into();
        self.hold(deadline).map(|held| LockGuard { held })
    }

    #[inline(always)]
    pub(super) fn hold(&self, deadline: Deadline) -> Result<Held<'_>, Error> {
        self.hold_or(|| self.wait(deadline))
    }

    /// As [`Lock::hold`], of a lock that guards references: one that a thread has ended with is refused. The
    /// thread did not give it up, so that its guard was leaked, and what was borrowed from that may live on
    /// in other threads.
    #[inline(always)]
    pub(super) fn hold_intact(&self, deadline: Deadline) -> Result<Held<'_>, Error> {
        self.hold_or(|| self.wait_intact(deadline))
    }

    #[cold]
    #[inline(never)]
    fn wait_intact(&self, deadline: Deadline) -> Result<(), Error> {
        match self.ask(deadline)? {
            Locked::Consistent => Ok(()),
            Locked::OwnerDied => {
                // The word goes on to say so: the fast path never takes it, and whoever is next is refused.
                futex::unlock(&self.0)?;
                Err(Error::PeerDied)
            }
        }
    }

    /// Takes it if it is free; else `wait` does.
    #[inline(always)]
    fn hold_or(&self, wait: impl FnOnce() -> Result<(), Error>) -> Result<Held<'_>, Error> {
        let thread = trap::thread_id();
        if !self.0.take(thread) {
            wait()?;
        }
        Ok(Held {
            lock: self,
            thread,
            _thread: PhantomData,
        })
    }

    /// As [`Lock::hold`], of a lock that is held only for a copy: a caller that does not want to wait for
    /// anything else waits for that, or nothing would ever be sure; but no longer than [`COPY`], since a
    /// stranger may never give it up. Who dies with it leaves nothing to repair.
    #[inline(always)]
    pub(super) fn hold_shortly(&self, deadline: Deadline) -> Result<Held<'_>, Error> {
        self.hold_or(|| self.wait_shortly(deadline))
    }

    #[cold]
    #[inline(never)]
    fn wait_shortly(&self, deadline: Deadline) -> Result<(), Error> {
        let locked = match deadline {
            Deadline::Immediate => match self.ask((Instant::now() + COPY).into()) {
                Err(Error::TimedOut) => Err(Error::WouldBlock),
                answer => answer,
            },
            later => self.ask(later),
        };
        if locked? == Locked::OwnerDied {
            self.repaired();
        }
        Ok(())
    }

    /// The slow half of [`Lock::lock_until`]; the C library has the fast one for itself. (What became
    /// of the former holder is in the word, too.)
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    pub fn wait(&self, deadline: Deadline) -> Result<(), Error> {
        self.ask(deadline).map(|_: Locked| ())
    }

    /// Asks the kernel for it. Where no two threads have memory in common there is no such call: then the fast path
    /// was only interrupted, or the caller has the lock itself.
    fn ask(&self, deadline: Deadline) -> Result<Locked, Error> {
        let mut answer = futex::lock_until(&self.0, deadline);
        // A signal was handled, and the wait for a lock begins anew.
        while answer == Err(Error::Interrupted) {
            answer = futex::lock_until(&self.0, deadline);
        }
        match answer {
            Err(Error::BadCall) => match self.0.compare_exchange(0, trap::thread_id()) {
                Ok(_) => Ok(Locked::Consistent),
                Err(_) => Err(Error::Deadlock),
            },
            answer => answer,
        }
    }

    /// See [`LockGuard::owner_died`].
    #[inline(always)]
    pub(super) fn owner_died(&self) -> bool {
        self.0.load() & OWNER_DIED != 0
    }

    /// See [`LockGuard::repaired`].
    pub(super) fn repaired(&self) {
        self.0.and(!OWNER_DIED);
    }

    /// The slow half of giving it up; the C library has the fast one for itself.
    ///
    /// # Safety
    /// The calling thread has no guard of it.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    pub unsafe fn hand_over(&self) -> Result<(), Error> {
        match futex::unlock(&self.0) {
            // As in `ask`.
            Err(Error::BadCall) => match self.0.compare_exchange(trap::thread_id(), 0) {
                Ok(_) => Ok(()),
                Err(_) => Err(Error::NotPermitted),
            },
            answer => answer,
        }
    }

    /// For the C library: the guard of a lock that the calling thread has taken without one, if it has.
    ///
    /// # Safety
    /// The calling thread has no other guard of it.
    #[doc(hidden)]
    #[must_use]
    pub unsafe fn held(&self) -> Option<LockGuard<'_>> {
        let thread = trap::thread_id();
        self.is_held_by(thread).then(|| LockGuard {
            held: Held {
                lock: self,
                thread,
                _thread: PhantomData,
            },
        })
    }

    /// As [`super::RecursiveMutex`] asks: whether the thread with this id holds it.
    #[inline(always)]
    pub(super) fn is_held_by(&self, thread: u32) -> bool {
        self.0.load() & OWNER_MASK == thread
    }

    /// Gives it up.
    ///
    /// # Safety
    /// The calling thread has it from [`Lock::hold`], and forgot the value.
    pub(super) unsafe fn release(&self) {
        drop(Held {
            lock: self,
            thread: trap::thread_id(),
            _thread: PhantomData,
        });
    }
}

impl Drop for Held<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.lock.0.compare_exchange(self.thread, 0).is_err() {
            // Whoever has changed the word of a lock that isn't his, has it: there is nothing to give up.
            // SAFETY: this was the guard.
            let _ = unsafe { self.lock.hand_over() };
        }
    }
}

impl<'l> LockGuard<'l> {
    /// What it holds.
    pub(super) fn lock(&self) -> &'l Lock {
        self.held.lock
    }

    /// Whether a thread died with the lock, and nobody has [repaired](LockGuard::repaired) since what it
    /// protects.
    #[inline(always)]
    #[must_use]
    pub fn owner_died(&self) -> bool {
        self.held.lock.owner_died()
    }

    /// What the lock protects is in order again: whoever takes it next is told nothing.
    pub fn repaired(&self) {
        self.held.lock.repaired();
    }
}
