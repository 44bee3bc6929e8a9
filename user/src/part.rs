//! Pieces of a scattered or gathered message.

use core::marker::PhantomData;

use crate::trap::{self, Range};

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

fn abi_part(range: Range) -> riposte_abi::Part {
    riposte_abi::Part {
        address: range.address,
        length: range.length,
    }
}

/// How a call names the parts that it reads: their array's address and their count.
pub(crate) fn gather(parts: &[Part<'_>]) -> Range {
    Range {
        address: trap::address(parts.as_ptr()),
        length: parts.len() as u32,
    }
}

/// How a call names the parts that it writes.
pub(crate) fn scatter(parts: &mut [PartMut<'_>]) -> Range {
    Range {
        address: trap::address(parts.as_mut_ptr()),
        length: parts.len() as u32,
    }
}
