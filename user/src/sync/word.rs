//! A word that threads change in one step.

use core::sync::atomic::AtomicU32;

use crate::trap::word;

/// A word of memory that several threads change, each time in one step: on every board, with and
/// without atomic instructions.
///
/// It is a `u32` in memory, so that it can lie where several processes see it. No operation blocks
/// or calls the kernel, and all threads see all operations in one order.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Word(AtomicU32);

impl Word {
    /// A word that holds `value`.
    #[must_use]
    pub const fn new(value: u32) -> Word {
        Word(AtomicU32::new(value))
    }

    /// What it holds.
    #[inline(always)]
    #[must_use]
    pub fn load(&self) -> u32 {
        word::load(&self.0)
    }

    /// Puts `value` into it.
    #[inline(always)]
    pub fn store(&self, value: u32) {
        word::store(&self.0, value);
    }

    /// Puts `value` into it; what it held.
    #[inline(always)]
    pub fn swap(&self, value: u32) -> u32 {
        word::swap(&self.0, value)
    }

    /// Puts `new` into it if it holds `expected`; what it held.
    ///
    /// # Errors
    /// What it held, if that was something else.
    #[inline(always)]
    pub fn compare_exchange(&self, expected: u32, new: u32) -> Result<u32, u32> {
        word::compare_exchange(&self.0, expected, new)
    }

    /// Puts `new` there if it holds 0; whether it did. It may fail although it holds 0: then another
    /// thread has run in between.
    #[inline(always)]
    pub(super) fn take(&self, new: u32) -> bool {
        word::take(&self.0, new)
    }

    /// Takes the first one off the list that begins with the first of `links`: where its word is, in bytes
    /// behind that one; 0 if the list is empty.
    ///
    /// # Safety
    /// There are `links`, all that is ever on the list is such a place, and the last one's word holds 0.
    #[inline(always)]
    pub(super) unsafe fn unlink(links: &[Word]) -> u32 {
        // SAFETY: the caller's promise. A `Word` is an `AtomicU32`.
        unsafe { word::unlink(links.as_ptr().cast()) }
    }

    /// Adds `more`, modulo 2^32; what it held.
    #[inline(always)]
    pub fn add(&self, more: u32) -> u32 {
        word::add(&self.0, more)
    }

    /// Sets `bits`; what it held.
    #[inline(always)]
    pub fn or(&self, bits: u32) -> u32 {
        word::or(&self.0, bits)
    }

    /// Keeps only `bits`; what it held.
    #[inline(always)]
    pub fn and(&self, bits: u32) -> u32 {
        word::and(&self.0, bits)
    }

    /// Puts into it what `change` makes of what it holds, unless that refuses it; what it held.
    /// `change` is called again if another thread was faster.
    ///
    /// # Errors
    /// What it held when `change` refused it.
    #[inline(always)]
    pub fn update(&self, mut change: impl FnMut(u32) -> Option<u32>) -> Result<u32, u32> {
        let mut old = self.load();
        while let Some(new) = change(old) {
            match self.compare_exchange(old, new) {
                Ok(_) => return Ok(old),
                Err(now) => old = now,
            }
        }
        Err(old)
    }
}
