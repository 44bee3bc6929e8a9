//! A value that several threads read, or one changes.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::event::wait_at;
use super::lock::Held;
use super::{Lock, Word};
use crate::{Deadline, Error, futex};

/// In the word of the readers: a writer has the gate and waits until they are gone.
const WRITER_WAITS: u32 = 1;
/// One reader there.
const READER: u32 = 2;

/// The word with one more of them or one fewer, unless that were 2^30 or fewer than none: either shows in the sign.
#[inline(always)]
fn within_bounds(readers: u32) -> Option<u32> {
    (readers.cast_signed() >= 0).then_some(readers)
}

/// A value that several threads read at the same time, or one changes.
///
/// A thread that wants to change it waits for those who read it already, and keeps others from
/// beginning. Who waits for it lends it its priority. A thread that has leaked its [`WriteGuard`] and ends
/// leaves the lock as one that has leaked its guard leaves a [`Mutex`](super::Mutex). Readers are only
/// counted: they inherit nothing, and one that ends reading keeps writers out for ever. So read shortly,
/// or take a mutex.
///
/// ```no_run
/// use riposte::sync::RwLock;
///
/// static LIMITS: RwLock<[u32; 2]> = RwLock::new([10, 90]);
///
/// fn within(value: u32) -> Result<bool, riposte::Error> {
///     let limits = LIMITS.read()?;
///     Ok((limits[0]..limits[1]).contains(&value))
/// }
///
/// fn set(limits: [u32; 2]) -> Result<(), riposte::Error> {
///     *LIMITS.write()? = limits;
///     Ok(())
/// }
/// ```
#[derive(Debug, Default)]
#[repr(C)]
pub struct RwLock<T> {
    state: RwLockState,
    value: UnsafeCell<T>,
}

/// A read-write lock but for its value. The C library has it alone: its readers and writers have no
/// guards.
#[doc(hidden)]
#[derive(Debug, Default)]
#[repr(C)]
pub struct RwLockState {
    /// Whoever begins to read holds it shortly, and whoever writes as long as it writes.
    gate: Lock,
    /// [`READER`] for each of them, and [`WRITER_WAITS`].
    readers: Word,
}

// SAFETY: several threads have shared references to the value, or one an exclusive one.
unsafe impl<T: Send + Sync> Sync for RwLock<T> {}

/// The value, to be read. Dropping it lets writers in.
#[derive(Debug)]
#[must_use = "the lock is given up at once"]
pub struct ReadGuard<'l, T> {
    lock: &'l RwLock<T>,
    /// A guard is its thread's.
    _thread: PhantomData<*mut ()>,
}

/// The value, to be changed. Dropping it lets others in.
#[derive(Debug)]
#[must_use = "the lock is given up at once"]
pub struct WriteGuard<'l, T> {
    lock: &'l RwLock<T>,
    _held: Held<'l>,
}

impl<T> RwLock<T> {
    /// A free lock with this value.
    #[must_use]
    pub const fn new(value: T) -> RwLock<T> {
        RwLock {
            state: RwLockState::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// Blocks until nobody writes or waits to write, and reads.
    ///
    /// # Errors
    /// [`Error::Deadlock`] if who writes waits for the caller in the end, or is the caller; [`Error::PeerDied`] if a thread has
    /// ended writing. A thread that reads, and reads again while another one waits to write, waits for itself, which nobody
    /// sees.
    pub fn read(&self) -> Result<ReadGuard<'_, T>, Error> {
        self.read_until(Deadline::None)
    }

    /// Reads if nobody writes or waits to write. Never blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if somebody does, or is just about to begin reading; and as [`RwLock::read`].
    pub fn try_read(&self) -> Result<ReadGuard<'_, T>, Error> {
        self.read_until(Deadline::Immediate)
    }

    /// As [`RwLock::read`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`RwLock::read`].
    pub fn read_until(&self, deadline: impl Into<Deadline>) -> Result<ReadGuard<'_, T>, Error> {
        let deadline = deadline.into();
        self.state.count(self.state.gate.hold_intact(deadline)?)?;
        Ok(ReadGuard {
            lock: self,
            _thread: PhantomData,
        })
    }

    /// Blocks until nobody reads or writes, and writes.
    ///
    /// # Errors
    /// As [`RwLock::read`]. A thread that reads and wants to write waits for itself, which nobody sees.
    pub fn write(&self) -> Result<WriteGuard<'_, T>, Error> {
        self.write_until(Deadline::None)
    }

    /// Writes if nobody reads or writes. Never blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if somebody does; and as [`RwLock::read`].
    pub fn try_write(&self) -> Result<WriteGuard<'_, T>, Error> {
        self.write_until(Deadline::Immediate)
    }

    /// As [`RwLock::write`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`RwLock::write`].
    pub fn write_until(&self, deadline: impl Into<Deadline>) -> Result<WriteGuard<'_, T>, Error> {
        let deadline = deadline.into();
        let held = self.state.gate.hold_intact(deadline)?;
        self.state.drain(deadline)?;
        Ok(WriteGuard {
            lock: self,
            _held: held,
        })
    }

    /// Writes, though a thread has ended writing, and blocks until nobody else does. From then on the lock
    /// is as any other.
    ///
    /// # Safety
    /// Nothing that was borrowed from a guard of the thread that has ended is used any more.
    ///
    /// # Errors
    /// [`Error::Deadlock`] as [`RwLock::write`].
    pub unsafe fn recover(&self) -> Result<WriteGuard<'_, T>, Error> {
        let held = self.state.gate.hold(Deadline::None)?;
        self.state.drain(Deadline::None)?;
        self.state.gate.repaired();
        Ok(WriteGuard {
            lock: self,
            _held: held,
        })
    }
}

impl RwLockState {
    const fn new() -> RwLockState {
        RwLockState {
            gate: Lock::new(),
            readers: Word::new(0),
        }
    }

    /// The caller begins to read.
    #[expect(clippy::missing_errors_doc, reason = "as RwLock::read_until")]
    pub fn begin_read(&self, deadline: Deadline) -> Result<(), Error> {
        self.count(self.gate.hold(deadline)?)
    }

    /// The caller, who has the gate, begins to read.
    fn count(&self, _gate: Held<'_>) -> Result<(), Error> {
        let more = |readers: u32| within_bounds(readers.wrapping_add(READER));
        self.readers
            .update(more)
            .map(drop)
            .map_err(|_| Error::WouldBlock)
    }

    /// The caller begins to write.
    #[expect(clippy::missing_errors_doc, reason = "as RwLock::write_until")]
    pub fn begin_write(&self, deadline: Deadline) -> Result<(), Error> {
        let held = self.gate.hold(deadline)?;
        self.drain(deadline)?;
        core::mem::forget(held);
        Ok(())
    }

    /// The caller ends reading.
    ///
    /// # Safety
    /// The caller reads, by `begin_read`, or nobody does.
    #[expect(clippy::missing_errors_doc, reason = "NotPermitted if nobody reads")]
    pub unsafe fn end_read(&self) -> Result<(), Error> {
        let fewer = |readers: u32| within_bounds(readers.wrapping_sub(READER));
        let before = self.readers.update(fewer);
        if before.map_err(|_| Error::NotPermitted)? == READER | WRITER_WAITS {
            self.wake_writer();
        }
        Ok(())
    }

    /// The last reader is gone, and with it the right to touch the lock: a more urgent writer may have come,
    /// gone, and freed it. The kernel looks for who waits at the word by its address alone. In memory that
    /// is something else's by now it wakes one thread at most: of a lock or an event, as if by chance; of a
    /// semaphore, as if there were a unit. (That takes a writer whose wait ended by itself in between.)
    #[cold]
    #[inline(never)]
    fn wake_writer(&self) {
        let _ = futex::wake(&self.readers, 1);
    }

    /// The caller ends writing.
    ///
    /// # Safety
    /// If the caller writes, then by `begin_write`.
    #[expect(
        clippy::missing_errors_doc,
        reason = "NotPermitted if it does not write"
    )]
    pub unsafe fn end_write(&self) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        let held = unsafe { self.gate.held() }.ok_or(Error::NotPermitted)?;
        drop(held);
        Ok(())
    }

    /// Waits until nobody reads any more. The caller has the gate.
    #[inline(always)]
    fn drain(&self, deadline: Deadline) -> Result<(), Error> {
        if self.readers.load() == 0 {
            return Ok(());
        }
        let result = self.wait_for_readers(deadline);
        self.readers.and(!WRITER_WAITS);
        result
    }

    /// The mark may be that of a writer that has died here.
    #[cold]
    #[inline(never)]
    fn wait_for_readers(&self, deadline: Deadline) -> Result<(), Error> {
        loop {
            let readers = self.readers.or(WRITER_WAITS) | WRITER_WAITS;
            if readers == WRITER_WAITS {
                return Ok(());
            }
            match wait_at(&self.readers, readers, deadline) {
                // A signal was handled, and the wait begins anew, as at the gate.
                Ok(()) | Err(Error::Interrupted) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl<T> Deref for ReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: as long as this is counted among the readers, nobody gets an exclusive reference.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> Drop for ReadGuard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: this was counted among the readers.
        let _ = unsafe { self.lock.state.end_read() };
    }
}

impl<T> Deref for WriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this thread has the gate, and there were no readers when it got it. Earlier writers gave
        // it up with their guards, or `recover` was promised so.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for WriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.lock.value.get() }
    }
}
