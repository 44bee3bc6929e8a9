//! Pieces of a scattered or gathered message.

use core::marker::PhantomData;

use riposte_abi::info;
use zerocopy::IntoBytes;

use crate::trap::{self, Range};
use crate::words;

/// Bytes that are sent as one piece of a message.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Part<'a>(riposte_abi::Part, PhantomData<&'a [u8]>);

impl<'a> Part<'a> {
    /// The piece `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Part(abi_part(Range::of(bytes)), PhantomData)
    }
}

impl<'a> Part<'a> {
    /// The piece at these addresses, which lie in a region: who sees it may read it there.
    pub(crate) fn in_region(range: core::ops::Range<u32>) -> Part<'static> {
        Part(addresses(range), PhantomData)
    }

    /// The piece `bytes`, which the reply to the message will overwrite.
    pub(crate) fn sent_and_overwritten(bytes: &mut [u8]) -> Part<'a> {
        Part(abi_part(Range::of_mut(bytes)), PhantomData)
    }
}

/// Memory that takes one piece of a message.
#[repr(transparent)]
pub struct PartMut<'a>(riposte_abi::Part, PhantomData<&'a mut [u8]>);

impl<'a> PartMut<'a> {
    /// The piece that `bytes` takes.
    #[must_use]
    pub fn new(bytes: &'a mut [u8]) -> Self {
        PartMut(abi_part(Range::of_mut(bytes)), PhantomData)
    }
}

impl PartMut<'_> {
    /// The piece at these addresses, which lie in a region that this process may write.
    pub(crate) fn in_region(range: core::ops::Range<u32>) -> PartMut<'static> {
        PartMut(addresses(range), PhantomData)
    }

    /// The part as the kernel sees it.
    pub(crate) fn range(&self) -> riposte_abi::Part {
        self.0
    }
}

fn addresses(range: core::ops::Range<u32>) -> riposte_abi::Part {
    riposte_abi::Part {
        address: range.start,
        length: range.end - range.start,
    }
}

fn abi_part(range: Range) -> riposte_abi::Part {
    riposte_abi::Part {
        address: range.address,
        length: range.length,
    }
}

/// How a call names what it reads: the operation for bytes and a part's range, or that for parts, and their array's
/// address and count. One part is bytes, which take less to be looked at.
#[inline(always)]
pub(crate) fn gather<T>(parts: &[Part<'_>], bytes: T, vector: T) -> (T, [u32; 5]) {
    let (operation, address, length) = match parts {
        [Part(part, _)] => (bytes, part.address, part.length),
        _ => (vector, trap::address(parts.as_ptr()), parts.len() as u32),
    };
    (operation, words::range(Range { address, length }))
}

/// Puts the first `length` bytes of `words` into the parts, in order, as far as they fit; returns
/// how many did. (The kernel scatters what came in memory; words came in registers.)
pub(crate) fn fill(parts: &mut [PartMut<'_>], words: &[u32; 5], length: usize) -> usize {
    let mut rest = words.as_bytes().get(..length).unwrap_or_default();
    for part in parts {
        let (now, later) = rest.split_at(rest.len().min(part.0.length as usize));
        trap::fill(part, now);
        rest = later;
    }
    length - rest.len()
}

/// How a call names the parts that it writes, with the flag that says that they are several: one is bytes.
#[inline(always)]
pub(crate) fn scatter(parts: &mut [PartMut<'_>]) -> (u32, Range) {
    let (flag, address, length) = match parts {
        [] => (0, 0, 0),
        [PartMut(part, _)] => (0, part.address, part.length),
        _ => {
            let count = parts.len() as u32;
            (info::VECTOR, trap::address(parts.as_mut_ptr()), count)
        }
    };
    (flag, Range { address, length })
}
