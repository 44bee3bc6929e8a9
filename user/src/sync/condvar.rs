//! Waiting until somebody has changed what a mutex protects.

use super::event::Event;
use super::{Lock, LockGuard, Mutex, MutexGuard};
use crate::{Deadline, Duration, Error, Instant};

/// How long a caller whose deadline has passed waits for the lock that it gave up: long enough for whoever holds it
/// shortly. A stranger may never give it up.
const SHORTLY: Duration = Duration::from_millis(10);

/// What a condition variable gives up while it waits: a [`MutexGuard`] or a [`LockGuard`].
pub trait Guard: Sized {
    /// What it guards.
    type Lock: Copy;

    /// Gives it up.
    #[doc(hidden)]
    fn give_up(self) -> Self::Lock;

    /// Takes it again, if need be until `deadline`.
    #[doc(hidden)]
    fn take(lock: Self::Lock, deadline: Deadline) -> Result<Self, Error>;
}

impl<'m, T> Guard for MutexGuard<'m, T> {
    type Lock = &'m Mutex<T>;

    fn give_up(self) -> &'m Mutex<T> {
        self.mutex()
    }

    /// No stranger can hold it.
    fn take(mutex: &'m Mutex<T>, _: Deadline) -> Result<Self, Error> {
        mutex.lock()
    }
}

impl<'l> Guard for LockGuard<'l> {
    type Lock = &'l Lock;

    fn give_up(self) -> &'l Lock {
        self.lock()
    }

    fn take(lock: &'l Lock, deadline: Deadline) -> Result<Self, Error> {
        match lock.lock_until(deadline) {
            Err(Error::TimedOut | Error::WouldBlock) => lock.lock_until(Instant::now() + SHORTLY),
            taken => taken,
        }
    }
}

/// A condition variable: threads give up a mutex and wait until another one notifies them that what it
/// protects has changed.
///
/// Without waiters, a notification makes no system call. The most urgent waiter is woken first. A
/// thread may be woken without a notification, and what it waits for may be over again before it has
/// the mutex: [`Condvar::wait_while`] looks each time.
///
/// ```no_run
/// use riposte::sync::{Condvar, Mutex};
///
/// static LEVEL: Mutex<u32> = Mutex::new(0);
/// static RISEN: Condvar = Condvar::new();
///
/// fn rise() -> Result<(), riposte::Error> {
///     *LEVEL.lock()? += 1;
///     RISEN.notify_all();
///     Ok(())
/// }
///
/// fn wait_for(level: u32) -> Result<u32, riposte::Error> {
///     let guard = RISEN.wait_while(LEVEL.lock()?, |now| **now < level)?;
///     Ok(*guard)
/// }
/// ```
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Condvar(Event);

impl Condvar {
    /// A condition variable that nobody waits for.
    #[must_use]
    pub const fn new() -> Condvar {
        Condvar(Event::new())
    }

    /// Gives the mutex up, blocks until a notification, and takes the mutex again.
    ///
    /// # Errors
    /// As [`Mutex::lock`]: the mutex is not the caller's then.
    pub fn wait<G: Guard>(&self, guard: G) -> Result<G, Error> {
        Ok(self.wait_until(guard, Deadline::None)?.0)
    }

    /// As [`Condvar::wait`], until `deadline`; and whether that has passed.
    ///
    /// # Errors
    /// As [`Mutex::lock`]: the mutex is not the caller's then. [`Error::TimedOut`] if somebody holds the [`Lock`] that was
    /// given up for 10 ms beyond the deadline: it is not the caller's either.
    pub fn wait_until<G: Guard>(
        &self,
        guard: G,
        deadline: impl Into<Deadline>,
    ) -> Result<(G, bool), Error> {
        let deadline = deadline.into();
        self.wait_and_take(guard, deadline, deadline)
    }

    /// As [`Condvar::wait_until`], with another deadline for the lock: a C program has it again whenever that may be.
    #[doc(hidden)]
    pub fn wait_and_take<G: Guard>(
        &self,
        guard: G,
        deadline: Deadline,
        take: Deadline,
    ) -> Result<(G, bool), Error> {
        let mut watch = self.0.watch();
        let lock = guard.give_up();
        let waited = watch.wait(deadline);
        let taken = G::take(lock, take);
        if taken.is_err() && waited.is_ok() {
            // What it was notified of it leaves to another one.
            self.0.signal(1);
        }
        let guard = taken?;
        let late = matches!(waited, Err(Error::TimedOut | Error::WouldBlock));
        Ok((guard, late))
    }

    /// Waits for notifications for as long as `condition` holds.
    ///
    /// # Errors
    /// As [`Mutex::lock`]: the mutex is not the caller's then.
    pub fn wait_while<G: Guard>(
        &self,
        mut guard: G,
        mut condition: impl FnMut(&mut G) -> bool,
    ) -> Result<G, Error> {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Wakes so many threads; the C library has the fast half for itself, of everything that threads
    /// wait for.
    #[doc(hidden)]
    pub fn notify(&self, most: u32) {
        self.0.signal(most);
    }

    /// Wakes the most urgent thread that waits. Never blocks.
    #[inline]
    pub fn notify_one(&self) {
        self.0.signal(1);
    }

    /// Wakes all threads that wait. Never blocks.
    #[inline]
    pub fn notify_all(&self) {
        self.0.signal(u32::MAX);
    }
}
