//! Bits that threads set, and wait for.

use super::Word;
use super::event::Event;
use crate::{Deadline, Error};

/// 32 event flags: threads set them, and wait until any or all of some are set.
///
/// While nobody waits, nothing makes a system call; nor does a wait for what is set already. All
/// who wait are woken when flags are set, in order of priority, and look for themselves.
///
/// Several processes can use them in memory that they share. All zeros are flags none of which is set.
///
/// ```no_run
/// use riposte::sync::{EventFlags, Flags};
///
/// const SENT: u32 = 1;
/// const RECEIVED: u32 = 2;
/// static EVENTS: EventFlags = EventFlags::new(0);
///
/// fn when_sent() {
///     EVENTS.set(SENT);
/// }
///
/// fn wait() -> Result<bool, riposte::Error> {
///     let set = EVENTS.wait(Flags::any(SENT | RECEIVED).clear())?;
///     Ok(set & RECEIVED != 0)
/// }
/// ```
#[derive(Debug, Default)]
#[repr(C)]
pub struct EventFlags {
    flags: Word,
    changed: Event,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    flags: u32,
    all: bool,
    clear: bool,
}

impl Flags {
    /// At least one of these flags.
    #[must_use]
    pub const fn any(flags: u32) -> Flags {
        Flags {
            flags,
            all: false,
            clear: false,
        }
    }

    /// All of these flags.
    #[must_use]
    pub const fn all(flags: u32) -> Flags {
        Flags {
            flags,
            all: true,
            clear: false,
        }
    }

    /// The same, and those that were found are cleared in the same step: one thread alone gets them.
    #[must_use]
    pub const fn clear(self) -> Flags {
        Flags {
            clear: true,
            ..self
        }
    }

    /// Those of `now` that were waited for, if it was for these.
    fn found(self, now: u32) -> Option<u32> {
        let found = now & self.flags;
        let enough = if self.all {
            found == self.flags
        } else {
            found != 0
        };
        enough.then_some(found)
    }
}

impl EventFlags {
    /// These flags are set, all others are clear.
    #[must_use]
    pub const fn new(flags: u32) -> EventFlags {
        EventFlags {
            flags: Word::new(flags),
            changed: Event::new(),
        }
    }

    /// What is set now.
    #[must_use]
    pub fn get(&self) -> u32 {
        self.flags.load()
    }

    /// Sets flags, and wakes who waits. Never blocks.
    #[inline]
    pub fn set(&self, flags: u32) {
        self.flags.or(flags);
        self.changed.signal(u32::MAX);
    }

    /// Clears flags; which of them were set. Never blocks.
    #[inline]
    pub fn clear(&self, flags: u32) -> u32 {
        self.flags.and(!flags) & flags
    }

    /// The flags that are waited for, if they are set. Never blocks.
    #[inline]
    pub fn try_wait(&self, wanted: Flags) -> Option<u32> {
        if !wanted.clear {
            return wanted.found(self.flags.load());
        }
        let without = |now: u32| Some(now & !wanted.found(now)?);
        let before = self.flags.update(without).ok()?;
        wanted.found(before)
    }

    /// Blocks until the flags are set; which of them are.
    ///
    /// # Errors
    /// What ended the wait early, such as [`Error::Interrupted`]: nothing was cleared.
    #[inline]
    pub fn wait(&self, wanted: Flags) -> Result<u32, Error> {
        self.wait_until(wanted, Deadline::None)
    }

    /// As [`EventFlags::wait`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`EventFlags::wait`].
    #[inline]
    pub fn wait_until(&self, wanted: Flags, deadline: impl Into<Deadline>) -> Result<u32, Error> {
        let deadline = deadline.into();
        if let Some(found) = self.try_wait(wanted) {
            return Ok(found);
        }
        let looked = || self.try_wait(wanted);
        self.changed.until(looked, deadline)
    }
}
