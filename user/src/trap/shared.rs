//! Memory that only an address names, and that other processes change.

use core::sync::atomic::{AtomicU8, AtomicU32};

use super::Range;
use crate::Shared;

/// The value at `address`, if that is aligned for it. The caller has found all of it in a region of
/// this process, and what it is to be used for allowed there.
#[inline]
pub fn shared<T: Shared>(address: u32) -> Option<&'static T> {
    let pointer = super::pointer(address).cast::<T>();
    if !pointer.is_aligned() {
        return None;
    }
    // SAFETY: the image builder lays regions into memory that nothing else is in, and that the process
    // has as long as it lives, or as long as it has mapped it, for which nobody keeps what this returns
    // longer; a value that can lie there may be any bytes, and change at any time.
    Some(unsafe { &*pointer })
}

/// The bytes of `range`, as for [`shared`].
#[inline]
pub fn shared_bytes(range: Range) -> &'static [AtomicU8] {
    if range.length == 0 {
        return &[];
    }
    let start = super::pointer(range.address).cast::<AtomicU8>();
    // SAFETY: as for `shared`.
    unsafe { core::slice::from_raw_parts(start, range.length as usize) }
}

/// The words of `range`, if that is aligned for them, as for [`shared`].
#[inline]
pub fn shared_words(range: Range) -> Option<&'static [AtomicU32]> {
    let start = super::pointer(range.address).cast::<AtomicU32>();
    if !start.is_aligned() || start.is_null() {
        return None;
    }
    // SAFETY: as for `shared`.
    Some(unsafe { core::slice::from_raw_parts(start, range.length as usize / 4) })
}
