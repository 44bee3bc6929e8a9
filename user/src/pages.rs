//! Pages: memory that can be given to another process.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::trap::{self, Block, PAGE, Range};
use crate::view::{self, ViewError, Viewed, ViewedMut};

/// Memory of this process's `pages` (see the manifest), which can be lent and, unlike all other
/// memory, given to another process for good. It dereferences to its bytes.
///
/// Its length is a power of two and at least [`Pages::LEAST`]. On boards without translation its
/// address is a multiple of its length, so that every board's protection can open it to another
/// process. Dropping it frees it.
pub struct Pages {
    block: Block,
}

impl Pages {
    /// The least length, in bytes.
    pub const LEAST: usize = PAGE as usize;

    /// Memory of at least `bytes` bytes, all of them zero; none if that much is not free in one
    /// piece. What was given away is free again once the other process has released it. The pages are
    /// divided into at most 32 units, each a power of two. Never blocks.
    #[must_use]
    pub fn allocate(bytes: usize) -> Option<Pages> {
        trap::allocation()
            .allocate(bytes)
            .map(|block| Pages { block })
    }

    /// Where all pages of this process are, if the manifest gives it any: address and length in
    /// bytes. For calls that this library doesn't wrap.
    #[must_use]
    pub fn place() -> Option<(u32, u32)> {
        trap::all_pages().map(|Range { address, length }| (address, length))
    }

    /// The bytes as a `T`, if they can be one; what is beyond it is left out.
    ///
    /// # Errors
    /// [`ViewError`] if there are too few.
    pub fn view<T: Viewed>(&self) -> Result<&T, ViewError> {
        view::of(self)
    }

    /// As [`Pages::view`], to be changed.
    ///
    /// # Errors
    /// [`ViewError`] if there are too few.
    pub fn view_mut<T: ViewedMut>(&mut self) -> Result<&mut T, ViewError> {
        view::of_mut(self)
    }
}

impl Deref for Pages {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        self.block.span().bytes()
    }
}

impl DerefMut for Pages {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        self.block.span_mut().bytes_mut()
    }
}

impl fmt::Debug for Pages {
    /// Where and how long; not what is in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { address, length } = self.block.span().range();
        write!(f, "Pages({length} bytes at {address:#x})")
    }
}

impl crate::memory::sealed::Give for Pages {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn can_be_moved(&self) -> bool {
        true
    }

    fn given(self) {
        self.block.given();
    }

    fn kept(self, _: bool) -> Option<Pages> {
        if self.block.is_home() {
            Some(self)
        } else {
            self.block.given();
            None
        }
    }

    fn make_room() -> bool {
        trap::allocation().reclaim()
    }
}

impl crate::Give for Pages {}
