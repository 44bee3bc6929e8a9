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

/// Puts `new` into `word` if that holds 0; whether it did. It may fail although the word holds 0, when an
/// interrupt comes between.
#[cfg(not(target_arch = "arm"))]
#[inline(always)]
pub fn take(word: &AtomicU32, new: u32) -> bool {
    compare_exchange(word, 0, new).is_ok()
}

/// As above, with one decision: what the word held, and whether the store failed, are 0 if it was taken.
#[cfg(target_arch = "arm")]
#[inline(always)]
pub fn take(word: &AtomicU32, new: u32) -> bool {
    let refused: u32;
    // SAFETY: the word is the caller's to change, and nothing else is touched. A reservation that is
    // left behind does no harm: each store that depends on one follows a load that makes its own.
    unsafe {
        core::arch::asm!(
            "ldrex r3, [{word}]",
            "cbnz  r3, 2f",
            "strex r3, {new}, [{word}]",
            "2:",
            out("r3") refused,
            word = in(reg) word.as_ptr(),
            new = in(reg) new,
            options(nostack, preserves_flags),
        );
    }
    refused == 0
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

/// Takes the first one off a list: what `first` held, in whose place comes what the word so many bytes
/// behind it holds.
///
/// It is one step, and not a compare-and-exchange: a list that has changed and begins again with the same
/// one may go on with another.
///
/// # Safety
/// There is such a word, whatever `first` holds meanwhile.
#[cfg(target_arch = "arm")]
#[inline(always)]
pub unsafe fn unlink(first: *const AtomicU32) -> u32 {
    let old;
    // SAFETY: the caller's promise. An interrupt between the two ends the reservation.
    unsafe {
        core::arch::asm!(
            "2:",
            "ldrex {old}, [{first}]",
            "ldr   {next}, [{first}, {old}]",
            "strex {failed}, {next}, [{first}]",
            "cmp   {failed}, #0",
            "bne   2b",
            first = in(reg) first,
            old = out(reg) old,
            next = out(reg) _,
            failed = out(reg) _,
            options(nostack),
        );
    }
    old
}

/// As above.
///
/// # Safety
/// As above.
#[cfg(target_arch = "riscv32")]
#[inline(always)]
pub unsafe fn unlink(first: *const AtomicU32) -> u32 {
    let old;
    // SAFETY: the caller's promise. The kernel ends the reservation at an interrupt.
    unsafe {
        core::arch::asm!(
            "2:",
            "lr.w  {old}, ({first})",
            "add   {next}, {first}, {old}",
            "lw    {next}, 0({next})",
            "sc.w  {next}, {next}, ({first})",
            "bnez  {next}, 2b",
            first = in(reg) first,
            old = out(reg) old,
            next = out(reg) _,
            options(nostack),
        );
    }
    old
}

/// As above, where the tests run: nobody else takes one off a list meanwhile, so that one which begins
/// with the same one is the same.
///
/// # Safety
/// As above.
#[cfg(not(any(target_arch = "arm", target_arch = "riscv32")))]
pub unsafe fn unlink(first: *const AtomicU32) -> u32 {
    use core::sync::atomic::AtomicBool;

    static TAKING: AtomicBool = AtomicBool::new(false);
    while TAKING.swap(true, SeqCst) {
        core::hint::spin_loop();
    }
    // SAFETY: the caller's promise.
    let old = unsafe {
        (*first).update(SeqCst, SeqCst, |old| {
            (*first.byte_add(old as usize)).load(SeqCst)
        })
    };
    TAKING.store(false, SeqCst);
    old
}
