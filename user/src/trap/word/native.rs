//! By the processor's own atomic instructions.
//!
//! There is one processor, and a thread that is interrupted and one that goes on see its memory in the
//! order of the program: it is the compiler alone that must not change the order. Where the tests
//! run there are several processors, and an order of their own.

use core::sync::atomic::{
    AtomicU32,
    Ordering::{self, Relaxed, SeqCst},
    compiler_fence,
};

/// What the processor is asked for.
const ORDER: Ordering = if cfg!(target_os = "none") {
    Relaxed
} else {
    SeqCst
};

/// Does `step` where the program says.
#[inline(always)]
fn here<T>(step: impl FnOnce() -> T) -> T {
    compiler_fence(SeqCst);
    let result = step();
    compiler_fence(SeqCst);
    result
}

/// What `word` holds.
#[inline(always)]
pub fn load(word: &AtomicU32) -> u32 {
    here(|| word.load(ORDER))
}

/// Puts `value` into `word`.
#[inline(always)]
pub fn store(word: &AtomicU32, value: u32) {
    here(|| word.store(value, ORDER));
}

/// Puts `new` into `word` if that holds `expected`. What it held, as an error if it was not changed.
#[inline(always)]
pub fn compare_exchange(word: &AtomicU32, expected: u32, new: u32) -> Result<u32, u32> {
    here(|| word.compare_exchange(expected, new, ORDER, ORDER))
}

/// Puts `new` into `word`. What it held.
#[inline(always)]
pub fn swap(word: &AtomicU32, new: u32) -> u32 {
    here(|| word.swap(new, ORDER))
}

/// Adds `more` to `word`, modulo 2^32. What it held.
#[inline(always)]
pub fn add(word: &AtomicU32, more: u32) -> u32 {
    here(|| word.fetch_add(more, ORDER))
}

/// Sets `bits` of `word`. What it held.
#[inline(always)]
pub fn or(word: &AtomicU32, bits: u32) -> u32 {
    here(|| word.fetch_or(bits, ORDER))
}

/// Keeps only `bits` of `word`. What it held.
#[inline(always)]
pub fn and(word: &AtomicU32, bits: u32) -> u32 {
    here(|| word.fetch_and(bits, ORDER))
}
