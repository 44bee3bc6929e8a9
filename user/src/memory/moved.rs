//! Memory that goes from one process to another for good.

use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};

use super::held::Held;
use crate::Token;
use crate::view::{self, ViewError, Viewed, ViewedMut};

/// Memory that was moved here: this process's own until it is dropped or given on, whatever
/// becomes of the process that gave it. It dereferences to its bytes.
///
/// Dropping it releases it: it goes back to the process that the manifest placed it in, which gets
/// it cleared.
#[derive(Debug)]
pub struct Moved<'a> {
    held: Held<'a>,
}

/// Moved memory, and the client that waits to hear that it has arrived.
#[derive(Debug)]
#[must_use = "the client waits for an answer"]
pub struct Delivery<'a> {
    badge: u32,
    words: [u32; 3],
    token: Token,
    memory: Moved<'a>,
}

/// Memory that can be given to another process: [`crate::Pages`], and what was [`Moved`] here.
pub trait Give: sealed::Give {}

pub(crate) mod sealed {
    /// What no other crate can implement.
    pub trait Give: Sized {
        /// All of it.
        fn bytes(&self) -> &[u8];

        /// Whether it is memory of its own: a copy is part of something else.
        fn can_be_moved(&self) -> bool;

        /// Another process has it now.
        fn given(self);

        /// It, if this process still has it after a move that failed; not if it `is_gone`, as the server had received it.
        fn kept(self, is_gone: bool) -> Option<Self>;

        /// Does what it can to make the kernel accept a move that it has refused. Whether it was
        /// anything.
        fn make_room() -> bool;
    }
}

impl<'a> Delivery<'a> {
    pub(super) fn new(badge: u32, words: [u32; 3], token: Token, held: Held<'a>) -> Self {
        let memory = Moved { held };
        Delivery {
            badge,
            words,
            token,
            memory,
        }
    }

    /// The badge of the connection through which it came.
    #[must_use]
    pub fn badge(&self) -> u32 {
        self.badge
    }

    /// The three words that came with it.
    #[must_use]
    pub fn words(&self) -> [u32; 3] {
        self.words
    }

    /// The memory, and the token with which its former owner is answered.
    #[inline(always)]
    pub fn into_parts(self) -> (Moved<'a>, Token) {
        (self.memory, self.token)
    }
}

impl<'a> Moved<'a> {
    /// Whether it is a copy of memory that could not be moved. The other process has none of it any
    /// more, either way.
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.held.is_copy()
    }

    /// The bytes as a `T`, if they can be one; what is beyond it is left out.
    ///
    /// # Errors
    /// [`ViewError`] says why they can't.
    pub fn view<T: Viewed>(&self) -> Result<&T, ViewError> {
        view::of(self)
    }

    /// As [`Moved::view`], to be changed.
    ///
    /// # Errors
    /// [`ViewError`] says why they can't.
    pub fn view_mut<T: ViewedMut>(&mut self) -> Result<&mut T, ViewError> {
        view::of_mut(self)
    }

    /// Itself, independent of the buffer of the receive.
    ///
    /// # Errors
    /// Itself as it was, if it is a copy: that lies in the buffer.
    pub fn keep(self) -> Result<Moved<'static>, Moved<'a>> {
        self.into_held()
            .keep()
            .map(|held| Moved { held })
            .map_err(|held| Moved { held })
    }

    /// Where it lies, without releasing it.
    fn into_held(self) -> Held<'a> {
        let mut this = ManuallyDrop::new(self);
        core::mem::replace(&mut this.held, Held::Copy(&mut []))
    }
}

impl Deref for Moved<'_> {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        self.held.bytes()
    }
}

impl DerefMut for Moved<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        self.held.bytes_mut()
    }
}

impl Drop for Moved<'_> {
    fn drop(&mut self) {
        if let Held::Window(window) = &mut self.held {
            window.release();
        }
    }
}

impl sealed::Give for Moved<'_> {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn can_be_moved(&self) -> bool {
        matches!(self.held, Held::Window(_))
    }

    fn given(self) {
        self.into_held();
    }

    fn kept(self, is_gone: bool) -> Option<Self> {
        if is_gone {
            self.given();
            return None;
        }
        Some(self)
    }

    fn make_room() -> bool {
        false
    }
}

impl Give for Moved<'_> {}
