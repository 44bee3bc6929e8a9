//! By sequences that the kernel lets begin anew when they are interrupted, on RV32 without atomic
//! instructions.
//!
//! The invariant: a sequence is four instructions of four bytes at a multiple of
//! [`RESTARTABLE_BYTES`], and the last one alone, the store, changes anything that the first three
//! read. A thread that is interrupted before the store has happened begins with the first
//! instruction again (`arch/riscv`); nothing but an interrupt comes between two instructions of a
//! thread, on the one processor that there is; so that the store takes effect as if no time had
//! passed since the load. What follows the store stands in a place of its own, and only returns.

use core::arch::{asm, global_asm};
use core::sync::atomic::{
    AtomicU32,
    Ordering::{Relaxed, SeqCst},
    compiler_fence,
};

use riposte_abi::RESTARTABLE_BYTES;

/// The sequence `$name`: loads what the word at a0 holds into a3, does the two instructions between,
/// and stores.
macro_rules! sequence {
    ($name:literal: $between:literal, $last:literal, $store:literal) => {
        global_asm!(
            ".pushsection .restartable, \"ax\", @progbits",
            ".option push",
            ".option norvc",
            ".balign {bytes}",
            concat!(".globl ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            "lw    a3, 0(a0)",
            $between,
            $last,
            $store,
            "1:",
            "ret",
            ".balign {bytes}",
            ".option pop",
            ".popsection",
            bytes = const RESTARTABLE_BYTES,
        );
    };
}

sequence!("riposte_sequence_compare_exchange": "nop", "bne a3, a1, 1f", "sw a2, 0(a0)");
sequence!("riposte_sequence_swap": "nop", "nop", "sw a1, 0(a0)");
sequence!("riposte_sequence_add": "nop", "add a2, a3, a1", "sw a2, 0(a0)");
sequence!("riposte_sequence_or": "nop", "or a2, a3, a1", "sw a2, 0(a0)");
sequence!("riposte_sequence_and": "nop", "and a2, a3, a1", "sw a2, 0(a0)");
sequence!("riposte_sequence_unlink": "add a2, a0, a3", "lw a2, 0(a2)", "sw a2, 0(a0)");

/// Runs a sequence of one operand; it uses a2.
macro_rules! run {
    ($name:literal, $word:expr, $operand:expr) => {{
        let old;
        // SAFETY: the word is the caller's to change, and the sequence touches no other memory and
        // no other register.
        unsafe {
            asm!(
                concat!("call ", $name),
                in("a0") $word.as_ptr(),
                in("a1") $operand,
                out("a2") _,
                out("a3") old,
                out("ra") _,
                options(nostack),
            );
        }
        old
    }};
}

/// What `word` holds.
#[inline(always)]
pub fn load(word: &AtomicU32) -> u32 {
    compiler_fence(SeqCst);
    let value = word.load(Relaxed);
    compiler_fence(SeqCst);
    value
}

/// Puts `value` into `word`.
#[inline(always)]
pub fn store(word: &AtomicU32, value: u32) {
    compiler_fence(SeqCst);
    word.store(value, Relaxed);
    compiler_fence(SeqCst);
}

/// Puts `new` into `word` if that holds `expected`. What it held, as an error if it was not changed.
#[inline(always)]
pub fn compare_exchange(word: &AtomicU32, expected: u32, new: u32) -> Result<u32, u32> {
    let old;
    // SAFETY: as in `run`.
    unsafe {
        asm!(
            "call riposte_sequence_compare_exchange",
            in("a0") word.as_ptr(),
            in("a1") expected,
            in("a2") new,
            out("a3") old,
            out("ra") _,
            options(nostack),
        );
    }
    if old == expected { Ok(old) } else { Err(old) }
}

/// Puts `new` into `word` if that holds 0; whether it did.
#[inline(always)]
pub fn take(word: &AtomicU32, new: u32) -> bool {
    compare_exchange(word, 0, new).is_ok()
}

/// Puts `new` into `word`. What it held.
#[inline(always)]
pub fn swap(word: &AtomicU32, new: u32) -> u32 {
    run!("riposte_sequence_swap", word, new)
}

/// Adds `more` to `word`, modulo 2^32. What it held.
#[inline(always)]
pub fn add(word: &AtomicU32, more: u32) -> u32 {
    run!("riposte_sequence_add", word, more)
}

/// Sets `bits` of `word`. What it held.
#[inline(always)]
pub fn or(word: &AtomicU32, bits: u32) -> u32 {
    run!("riposte_sequence_or", word, bits)
}

/// Keeps only `bits` of `word`. What it held.
#[inline(always)]
pub fn and(word: &AtomicU32, bits: u32) -> u32 {
    run!("riposte_sequence_and", word, bits)
}

/// Takes the first one off a list: what `first` held, in whose place comes what the word so many bytes
/// behind it holds.
///
/// # Safety
/// There is such a word, whatever `first` holds meanwhile.
#[inline(always)]
pub unsafe fn unlink(first: *const AtomicU32) -> u32 {
    let old;
    // SAFETY: the caller's promise; the sequence touches no other memory and no other register.
    unsafe {
        asm!(
            "call riposte_sequence_unlink",
            in("a0") first,
            out("a2") _,
            out("a3") old,
            out("ra") _,
            options(nostack),
        );
    }
    old
}
