//! Ranges of memory.

use core::num::NonZeroUsize;

use riposte::zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::Error;

/// An address, or any other word that is not 0.
pub type MemoryAddress = NonZeroUsize;
/// A length in bytes, or any other word that is not 0.
pub type MemorySize = NonZeroUsize;

/// Bytes of a page: what memory that is lent or moved is made of.
pub const PAGE_SIZE: usize = 4096;

/// A range of memory that this process may use alone, as long as it has the range: its own, or a
/// client's that came with a message. It is not copied, so that nobody else has it.
#[derive(Debug, PartialEq, Eq)]
pub struct MemoryRange {
    address: MemoryAddress,
    size: MemorySize,
    writable: bool,
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
            (Some(address), Some(size)) => Ok(MemoryRange {
                address,
                size,
                writable: true,
            }),
            _ => Err(Error::BadAddress),
        }
    }

    /// Its length in bytes.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a range is never empty")]
    pub const fn len(&self) -> usize {
        self.size.get()
    }

    /// Its first byte.
    #[inline(always)]
    #[must_use]
    pub const fn as_ptr(&self) -> *const u8 {
        core::ptr::with_exposed_provenance(self.address.get())
    }

    /// Its first byte.
    #[inline(always)]
    #[must_use]
    pub const fn as_mut_ptr(&mut self) -> *mut u8 {
        core::ptr::with_exposed_provenance_mut(self.address.get())
    }

    /// What lies there, as values of one type; bytes at the end that are no whole value are left
    /// out. A range that is not aligned for the type has none.
    #[inline(always)]
    #[must_use]
    pub fn as_slice<T: FromBytes + Immutable>(&self) -> &[T] {
        // SAFETY: the range is initialised, and this process's alone (`new`); `&self` keeps it from
        // being written meanwhile.
        let bytes = unsafe { core::slice::from_raw_parts(self.as_ptr(), self.len()) };
        whole_values(bytes)
    }

    /// As [`MemoryRange::as_slice`], to be written; nothing of memory that was lent for reading.
    #[inline(always)]
    #[must_use]
    pub fn as_slice_mut<T: FromBytes + IntoBytes>(&mut self) -> &mut [T] {
        if !self.writable {
            return &mut [];
        }
        // SAFETY: as above, and the range may be written; `&mut self` keeps everybody else out.
        let bytes = unsafe { core::slice::from_raw_parts_mut(self.as_mut_ptr(), self.len()) };
        whole_values_mut(bytes)
    }
}

#[inline(always)]
fn whole_values<T: FromBytes + Immutable>(bytes: &[u8]) -> &[T] {
    let length = bytes.len() / size_of::<T>().max(1) * size_of::<T>();
    bytes
        .get(..length)
        .and_then(|bytes| <[T]>::ref_from_bytes(bytes).ok())
        .unwrap_or_default()
}

#[inline(always)]
fn whole_values_mut<T: FromBytes + IntoBytes>(bytes: &mut [u8]) -> &mut [T] {
    let length = bytes.len() / size_of::<T>().max(1) * size_of::<T>();
    bytes
        .get_mut(..length)
        .and_then(|bytes| <[T]>::mut_from_bytes(bytes).ok())
        .unwrap_or_default()
}
