//! A server's buffer.

use core::ops::{Deref, DerefMut};

/// `N` bytes for a receive, aligned so that values in them can be [viewed](crate::Lent::view): memory
/// that could not be lent lies here as a copy. It takes [`crate::Memory::COPY_HEADER`] bytes more than
/// the memory has.
#[derive(Clone, Debug)]
#[repr(C, align(8))]
pub struct Buffer<const N: usize>([u8; N]);

impl<const N: usize> Buffer<N> {
    /// One full of zeros.
    #[must_use]
    pub const fn new() -> Self {
        Buffer([0; N])
    }
}

impl<const N: usize> Default for Buffer<N> {
    fn default() -> Self {
        Buffer::new()
    }
}

impl<const N: usize> Deref for Buffer<N> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl<const N: usize> DerefMut for Buffer<N> {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}
