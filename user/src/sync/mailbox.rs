//! A place for one word.

use core::num::NonZeroU32;

use super::Word;
use super::event::Event;
use crate::{Deadline, Error};

/// A mailbox: a place for one word that is not 0. Who posts waits while it is full, who fetches waits
/// while it is empty, each in order of priority.
///
/// While nobody has to wait, neither makes a system call. A word is posted or fetched in one step: a
/// thread that dies leaves nothing half done.
///
/// Several processes can use one in memory that they share. All zeros is an empty mailbox.
///
/// ```no_run
/// use core::num::NonZeroU32;
/// use riposte::sync::Mailbox;
///
/// static ORDERS: Mailbox = Mailbox::new();
///
/// fn order(number: NonZeroU32) -> Result<(), riposte::Error> {
///     ORDERS.post(number)
/// }
///
/// fn next() -> Result<NonZeroU32, riposte::Error> {
///     ORDERS.fetch()
/// }
/// ```
#[derive(Debug, Default)]
#[repr(C)]
pub struct Mailbox {
    /// 0: it is empty.
    word: Word,
    posted: Event,
    fetched: Event,
}

impl Mailbox {
    /// An empty mailbox.
    #[must_use]
    pub const fn new() -> Mailbox {
        Mailbox {
            word: Word::new(0),
            posted: Event::new(),
            fetched: Event::new(),
        }
    }

    /// Posts a word if the mailbox is empty; whether it was. Never blocks.
    #[inline]
    #[must_use = "a full mailbox takes nothing"]
    pub fn try_post(&self, word: NonZeroU32) -> bool {
        let posted = self.word.compare_exchange(0, word.get()).is_ok();
        if posted {
            self.posted.signal(1);
        }
        posted
    }

    /// Posts a word, and blocks until the mailbox is empty.
    ///
    /// # Errors
    /// What ended the wait early, such as [`Error::Interrupted`]: nothing was posted.
    #[inline]
    pub fn post(&self, word: NonZeroU32) -> Result<(), Error> {
        self.post_until(word, Deadline::None)
    }

    /// As [`Mailbox::post`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`Mailbox::post`].
    #[inline]
    pub fn post_until(&self, word: NonZeroU32, deadline: impl Into<Deadline>) -> Result<(), Error> {
        let deadline = deadline.into();
        if self.try_post(word) {
            return Ok(());
        }
        let posted = || {
            let posted = self.try_post(word);
            if !posted {
                self.posted.remind();
            }
            posted.then_some(())
        };
        self.fetched.until(posted, deadline)
    }

    /// Fetches the word, if there is one. Never blocks.
    #[inline]
    pub fn try_fetch(&self) -> Option<NonZeroU32> {
        let word = NonZeroU32::new(self.word.swap(0))?;
        self.fetched.signal(1);
        Some(word)
    }

    /// Fetches a word, and blocks until there is one.
    ///
    /// # Errors
    /// What ended the wait early, such as [`Error::Interrupted`]: nothing was fetched.
    #[inline]
    pub fn fetch(&self) -> Result<NonZeroU32, Error> {
        self.fetch_until(Deadline::None)
    }

    /// As [`Mailbox::fetch`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`Mailbox::fetch`].
    #[inline]
    pub fn fetch_until(&self, deadline: impl Into<Deadline>) -> Result<NonZeroU32, Error> {
        let deadline = deadline.into();
        match self.try_fetch() {
            Some(word) => Ok(word),
            None => {
                let fetched = || {
                    let word = self.try_fetch();
                    if word.is_none() {
                        self.fetched.remind();
                    }
                    word
                };
                self.posted.until(fetched, deadline)
            }
        }
    }
}
