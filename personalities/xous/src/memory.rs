//! Ranges of memory.

use core::num::NonZeroUsize;

use riposte::zerocopy::{FromBytes, Immutable, IntoBytes};
use riposte::{Answer, Lent, LentMut, Moved, Pages};

use crate::Error;

/// An address, or any other word that is not 0.
pub type MemoryAddress = NonZeroUsize;
/// A length in bytes, or any other word that is not 0.
pub type MemorySize = NonZeroUsize;

/// Bytes of a page: what memory that is lent or moved is made of.
pub const PAGE_SIZE: usize = 4096;

/// A range of memory that this process has alone: its own, or a client's that came with a message.
/// It is not copied, so that nobody else has it.
#[derive(Debug)]
pub struct MemoryRange(pub(crate) Memory);

/// Where it comes from.
#[derive(Debug)]
pub(crate) enum Memory {
    /// This process's own, by its place.
    Own {
        address: MemoryAddress,
        size: MemorySize,
    },
    /// This process's own pages.
    Pages(Pages),
    /// A client's, to be read.
    Lent(Lent<'static>),
    /// A client's, to be read and written.
    LentMut(LentMut<'static>),
    /// This process's, from another one.
    Moved(Moved<'static>),
    /// It has gone back, or on.
    Gone,
}

impl MemoryRange {
    /// The range of `size` bytes at `address`, to be read and written.
    ///
    /// # Safety
    /// The bytes are initialised memory of this process, which nobody else reads or writes as long
    /// as the range, or a message made of it, is there. (A server that it is lent to may write it.)
    ///
    /// # Errors
    /// [`Error::BadAddress`] if one of them is 0.
    #[inline(always)]
    pub const unsafe fn new(
        address: usize,
        size: usize,
    ) -> core::result::Result<MemoryRange, Error> {
        match (MemoryAddress::new(address), MemorySize::new(size)) {
            (Some(address), Some(size)) => Ok(MemoryRange(Memory::Own { address, size })),
            _ => Err(Error::BadAddress),
        }
    }

    /// Its length in bytes.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes().len()
    }

    /// Whether it has no bytes: those of memory that went back are gone.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    /// Its first byte.
    #[inline(always)]
    #[must_use]
    pub fn as_ptr(&self) -> *const u8 {
        self.bytes().as_ptr()
    }

    /// Its first byte; dangling for memory that may not be written.
    #[inline(always)]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.bytes_mut().as_mut_ptr()
    }

    /// What lies there, as values of one type; bytes at the end that are no whole value are left
    /// out. A range that is not aligned for the type has none.
    #[inline(always)]
    #[must_use]
    pub fn as_slice<T: FromBytes + Immutable>(&self) -> &[T] {
        let bytes = self.bytes();
        let length = whole::<T>(bytes.len());
        bytes
            .get(..length)
            .and_then(|bytes| <[T]>::ref_from_bytes(bytes).ok())
            .unwrap_or_default()
    }

    /// As [`MemoryRange::as_slice`], to be written; nothing of memory that was lent for reading.
    #[inline(always)]
    #[must_use]
    pub fn as_slice_mut<T: FromBytes + IntoBytes>(&mut self) -> &mut [T] {
        let bytes = self.bytes_mut();
        let length = whole::<T>(bytes.len());
        bytes
            .get_mut(..length)
            .and_then(|bytes| <[T]>::mut_from_bytes(bytes).ok())
            .unwrap_or_default()
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.0 {
            Memory::Own { address, size } => {
                let start = core::ptr::with_exposed_provenance(address.get());
                // SAFETY: the promise of `new`; `&self` keeps it from being written meanwhile.
                unsafe { core::slice::from_raw_parts(start, size.get()) }
            }
            Memory::Pages(pages) => pages,
            // SAFETY: the main thread has it (`receive::carried`), which ends with the process.
            Memory::Lent(lent) => unsafe { lent.bytes() },
            // SAFETY: as above.
            Memory::LentMut(lent) => unsafe { lent.bytes() },
            Memory::Moved(moved) => moved,
            Memory::Gone => &[],
        }
    }

    #[inline(always)]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Memory::Own { address, size } => {
                let start = core::ptr::with_exposed_provenance_mut(address.get());
                // SAFETY: the promise of `new`; `&mut self` keeps everybody else out.
                unsafe { core::slice::from_raw_parts_mut(start, size.get()) }
            }
            Memory::Pages(pages) => pages,
            // SAFETY: as in `bytes`.
            Memory::LentMut(lent) => unsafe { lent.bytes_mut() },
            Memory::Moved(moved) => moved,
            Memory::Lent(_) | Memory::Gone => &mut [],
        }
    }

    /// The memory, of which nothing stays behind.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Memory {
        core::mem::replace(&mut self.0, Memory::Gone)
    }

    /// Whether a client waits for it.
    #[inline(always)]
    pub(crate) fn is_lent(&self) -> bool {
        matches!(self.0, Memory::Lent(_) | Memory::LentMut(_))
    }

    /// The answer that gives it back to its client with two words, to be given with the next
    /// receive; none if no client waits for it.
    #[inline(always)]
    pub(crate) fn answer(&mut self, words: [u32; 2]) -> Answer<'static> {
        match self.take() {
            Memory::LentMut(lent) => lent.answer_words(words),
            Memory::Lent(lent) => lent.answer_words(words),
            _ => Answer::later(),
        }
    }

    /// Gives it back to its client with two words.
    pub(crate) fn give_back(&mut self, words: [u32; 2]) -> core::result::Result<(), Error> {
        match self.take() {
            Memory::LentMut(lent) => Ok(lent.reply_words(words)?),
            Memory::Lent(lent) => Ok(lent.reply_words(words)?),
            _ => Err(Error::ProcessNotFound),
        }
    }
}

/// Bytes of the values of type `T` that lie whole within `length` bytes.
#[inline(always)]
const fn whole<T>(length: usize) -> usize {
    match length.checked_rem(size_of::<T>()) {
        Some(rest) => length - rest,
        None => 0,
    }
}

/// New pages, cleared: at least `size` bytes, a power of two. (In Xous the call takes addresses and
/// flags first; here a process can choose neither.) Never blocks.
///
/// # Errors
/// [`Error::OutOfMemory`] if the manifest's `pages` of this process have no such room.
pub fn map_memory(size: usize) -> core::result::Result<MemoryRange, Error> {
    let pages = Pages::allocate(size).ok_or(Error::OutOfMemory)?;
    Ok(MemoryRange(Memory::Pages(pages)))
}

/// Gives memory of [`map_memory`], or that was moved here, up; dropping it does the same.
///
/// # Errors
/// [`Error::BadAddress`] if it is neither.
pub fn unmap_memory(range: MemoryRange) -> core::result::Result<(), Error> {
    match range.0 {
        Memory::Pages(_) | Memory::Moved(_) => Ok(()),
        _ => Err(Error::BadAddress),
    }
}

#[cfg(test)]
mod tests {
    use super::{Memory, MemoryRange};
    use crate::Error;

    fn range(words: &mut [u32]) -> MemoryRange {
        let address = words.as_mut_ptr().expose_provenance();
        // SAFETY: the tests use the words through the range alone.
        unsafe { MemoryRange::new(address, size_of_val(words)) }.unwrap()
    }

    #[test]
    fn a_range_is_seen_as_whole_values_that_it_is_aligned_for() {
        let mut words = [1, 2, 3];
        let mut range = range(&mut words);
        assert_eq!((range.len(), range.is_empty()), (12, false));
        assert_eq!(range.as_slice::<u32>(), [1, 2, 3]);
        assert_eq!(range.as_slice::<[u32; 2]>(), [[1, 2]]);
        range.as_slice_mut::<u8>()[4] = 7;
        assert_eq!(range.as_slice::<u32>(), [1, 7, 3]);
    }

    #[test]
    fn a_range_of_nothing_is_refused_and_one_that_is_gone_is_empty() {
        // SAFETY: neither is a range.
        let none = unsafe { [MemoryRange::new(0, 4096), MemoryRange::new(4096, 0)] };
        assert!(
            none.into_iter()
                .all(|it| it.err() == Some(Error::BadAddress))
        );
        let mut words = [1];
        let mut range = range(&mut words);
        assert!(matches!(range.take(), Memory::Own { .. }));
        assert!(range.is_empty() && range.as_slice_mut::<u8>().is_empty());
        assert_eq!(range.give_back([0; 2]), Err(Error::ProcessNotFound));
    }
}
