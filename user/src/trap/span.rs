//! Memory that only an address names, in the hands of one owner.

use core::ptr::NonNull;

use super::Range;

/// Memory that belongs to whoever holds this value: nobody else changes it, and nobody else reads it
/// if this process may write it.
#[derive(Debug)]
pub(crate) struct Span {
    // Not a reference: the memory can go away (with an answer, for example) in the midst of a call
    // that was given this value.
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: a span is the only way to its memory, whose bytes do not care which thread uses them. All
// threads of a process have the same memory.
unsafe impl Send for Span {}
// SAFETY: as above; through a shared span its memory is only read.
unsafe impl Sync for Span {}

impl Span {
    /// The memory of `range`, if that is somewhere.
    ///
    /// # Safety
    /// As long as the span lives, the memory is there, initialised, and reached through it alone. If
    /// it can't be written, [`Span::bytes_mut`] must not be used.
    pub(super) unsafe fn new(range: Range) -> Option<Span> {
        Some(Span {
            start: NonNull::new(super::pointer(range.address))?,
            length: range.length as usize,
        })
    }

    /// The bytes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the promise of `new`.
        unsafe { NonNull::slice_from_raw_parts(self.start, self.length).as_ref() }
    }

    /// The bytes, to be changed.
    #[inline(always)]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the promise of `new`; the span is borrowed exclusively.
        unsafe { NonNull::slice_from_raw_parts(self.start, self.length).as_mut() }
    }

    /// Writes zeros, the fastest way that can be said here: many words at a time. The compiler's own
    /// `memset` is smaller and slower.
    pub fn clear(&mut self) {
        type Words = [u32; 16];
        // SAFETY: the words that lie whole in the bytes, and are aligned; any bytes are words.
        let (before, words, after) = unsafe { self.bytes_mut().align_to_mut::<Words>() };
        before.fill(0);
        for words in words {
            for word in words {
                // SAFETY: it is a reference. Volatile, so that no `memset` is made of the loop.
                unsafe { core::ptr::from_mut(word).write_volatile(0) };
            }
        }
        after.fill(0);
    }

    /// How a call names the memory.
    #[inline(always)]
    pub fn range(&self) -> Range {
        Range {
            address: super::address(self.start.as_ptr()),
            length: self.length as u32,
        }
    }
}
