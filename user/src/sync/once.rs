//! What is done once, whoever comes first.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use super::{Lock, Word};
use crate::{Deadline, Error};

/// Something that is done once, by whoever comes first; the others wait for it, and lend it their
/// priority. If it dies doing it, the next one begins anew. Afterwards it costs a load.
///
/// Several processes can use one in memory that they share. All zeros is something not yet done.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Once {
    done: Word,
    lock: Lock,
}

impl Once {
    /// Something not yet done.
    #[must_use]
    pub const fn new() -> Once {
        Once {
            done: Word::new(0),
            lock: Lock::new(),
        }
    }

    /// Whether it is done.
    #[inline(always)]
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.done.load() != 0
    }

    /// Does it, unless it is done; blocks while another thread does it.
    ///
    /// # Errors
    /// [`Error::Deadlock`] if it is called within `work`.
    #[inline]
    pub fn call(&self, work: impl FnOnce()) -> Result<(), Error> {
        if self.is_done() {
            return Ok(());
        }
        self.call_first(work, Deadline::None)
    }

    /// As [`Once::call`], until `deadline`, which does not end `work` itself.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`Once::call`].
    #[inline]
    pub fn call_until(
        &self,
        work: impl FnOnce(),
        deadline: impl Into<Deadline>,
    ) -> Result<(), Error> {
        let deadline = deadline.into();
        if self.is_done() {
            return Ok(());
        }
        self.call_first(work, deadline)
    }

    #[cold]
    fn call_first(&self, work: impl FnOnce(), deadline: Deadline) -> Result<(), Error> {
        let guard = self.lock.lock_until(deadline)?;
        if !self.is_done() {
            work();
            self.done.store(1);
        }
        // Who dies before it is done leaves nothing that the next one would not do again.
        guard.repaired();
        Ok(())
    }
}

/// A value that is made once, by whoever asks for it first. Afterwards, to ask costs a load.
///
/// ```no_run
/// use riposte::sync::OnceCell;
///
/// static TABLE: OnceCell<[u8; 64]> = OnceCell::new();
///
/// fn table() -> Result<&'static [u8; 64], riposte::Error> {
///     TABLE.get_or_init(|| core::array::from_fn(|index| (index * index) as u8))
/// }
/// ```
#[derive(Debug)]
pub struct OnceCell<T> {
    once: Once,
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: one thread puts the value there, which may have come from another; then all share it.
unsafe impl<T: Send + Sync> Sync for OnceCell<T> {}

impl<T> OnceCell<T> {
    /// A cell without a value.
    #[must_use]
    pub const fn new() -> OnceCell<T> {
        OnceCell {
            once: Once::new(),
            value: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// The value, if there is one.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: it is done once the value is there, and nobody changes it any more.
        self.once
            .is_done()
            .then(|| unsafe { (*self.value.get()).assume_init_ref() })
    }

    /// The value; if there is none, what `make` returns. Blocks while another thread makes it.
    ///
    /// # Errors
    /// [`Error::Deadlock`] if it is called within `make`.
    #[inline]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> Result<&T, Error> {
        self.once.call(|| {
            let value = MaybeUninit::new(make());
            // SAFETY: whoever does this has the lock, and nobody reads before it is done.
            unsafe { self.value.get().write(value) };
        })?;
        self.get().ok_or(Error::Interrupted)
    }

    /// Puts the value there, if there is none. Blocks while another thread makes it.
    ///
    /// # Errors
    /// The value, if there is one already, or if this is called within `make`, or by somebody for whom `make` waits.
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        // A thread that sets a cell while it makes its value keeps the new one.
        let _ = self.once.call(|| {
            if let Some(value) = value.take() {
                // SAFETY: as above.
                unsafe { self.value.get().write(MaybeUninit::new(value)) };
            }
        });
        value.map_or(Ok(()), Err)
    }
}

impl<T> Default for OnceCell<T> {
    fn default() -> Self {
        OnceCell::new()
    }
}

impl<T> Drop for OnceCell<T> {
    fn drop(&mut self) {
        if self.once.is_done() {
            // SAFETY: the value is there, and nobody uses it after this.
            unsafe { self.value.get_mut().assume_init_drop() };
        }
    }
}
