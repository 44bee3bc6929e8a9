//! By the processor's own atomic instructions.

use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Puts `new` into `word` if that holds `expected`. What it held, as an error if it was not changed.
#[inline(always)]
pub fn compare_exchange(word: &AtomicU32, expected: u32, new: u32) -> Result<u32, u32> {
    word.compare_exchange(expected, new, SeqCst, SeqCst)
}

/// Puts `new` into `word`. What it held.
#[inline(always)]
pub fn swap(word: &AtomicU32, new: u32) -> u32 {
    word.swap(new, SeqCst)
}

/// Adds `more` to `word`, modulo 2^32. What it held.
#[inline(always)]
pub fn add(word: &AtomicU32, more: u32) -> u32 {
    word.fetch_add(more, SeqCst)
}

/// Sets `bits` of `word`. What it held.
#[inline(always)]
pub fn or(word: &AtomicU32, bits: u32) -> u32 {
    word.fetch_or(bits, SeqCst)
}

/// Keeps only `bits` of `word`. What it held.
#[inline(always)]
pub fn and(word: &AtomicU32, bits: u32) -> u32 {
    word.fetch_and(bits, SeqCst)
}
