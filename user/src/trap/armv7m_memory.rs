//! `memcpy`, `memmove`, `memset` and `memcmp` for ARMv7-M, with the names that the processor's ABI gives them, in the place of the
//! compiler's own: those take five times the code and are slower from some words on.
//!
//! The compiler makes calls of them wherever it likes, which is why they are written in assembly: a loop in Rust could
//! become a call of itself. They stand behind the program's own code (see its linker script), which begins where the
//! builder wants it.
//!
//! A word need not be aligned, but for an instruction that moves several: the ports leave the processor so.
//!
//! The invariants behind the `unsafe` here: C's promises on the ranges of each function; nothing is read or written
//! outside them; no register is changed that a call would keep.

use core::arch::naked_asm;

/// The same function by further names.
macro_rules! also {
    ($($name:literal),*) => {
        concat!($(".globl ", $name, "\n.thumb_func\n", $name, ":\n"),*)
    };
}

/// Copies `count` bytes, upwards.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `count` bytes, and `to` does not lie within what is copied.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".memory.copy")]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // r12: where it writes; r2: what is left, less what the next turn takes; r0 is the result and stays.
    naked_asm!(
        also!("__aeabi_memcpy", "__aeabi_memcpy4", "__aeabi_memcpy8"),
        "mov   r12, r0",
        "subs  r2, #4",
        "blo   3f",
        "orr   r3, r0, r1",
        "lsls  r3, r3, #30",
        "bne   2f",
        // Both are aligned: four words a turn, all read before one is written, so that a destination below an
        // overlapping source is right too.
        "subs  r2, #12",
        "blo   1f",
        "push  {{r4, r5, r6}}",
        "0:",
        "ldm   r1!, {{r3, r4, r5, r6}}",
        "stm   r12!, {{r3, r4, r5, r6}}",
        "subs  r2, #16",
        "bhs   0b",
        "pop   {{r4, r5, r6}}",
        "1:",
        "adds  r2, #12",
        "bcc   3f",
        "2:",
        "ldr   r3, [r1], #4",
        "str   r3, [r12], #4",
        "subs  r2, #4",
        "bhs   2b",
        "3:",
        "adds  r2, #4",
        "beq   5f",
        "4:",
        "ldrb  r3, [r1], #1",
        "strb  r3, [r12], #1",
        "subs  r2, #1",
        "bne   4b",
        "5:",
        "bx    lr",
    )
}

/// Copies `count` bytes, which may overlap.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `count` bytes.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".memory.move")]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    naked_asm!(
        also!("__aeabi_memmove", "__aeabi_memmove4", "__aeabi_memmove8"),
        // Only a destination within the source needs its end copied first.
        "subs  r3, r0, r1",
        "cmp   r3, r2",
        "bhs   {memcpy}",
        "add   r1, r2",
        "add   r12, r0, r2",
        "subs  r2, #4",
        "blo   2f",
        "1:",
        "ldr   r3, [r1, #-4]!",
        "str   r3, [r12, #-4]!",
        "subs  r2, #4",
        "bhs   1b",
        "2:",
        "adds  r2, #4",
        "beq   4f",
        "3:",
        "ldrb  r3, [r1, #-1]!",
        "strb  r3, [r12, #-1]!",
        "subs  r2, #1",
        "bne   3b",
        "4:",
        "bx    lr",
        memcpy = sym memcpy,
    )
}

/// Writes `value` into `count` bytes.
///
/// # Safety
/// `to` is valid for writes of `count` bytes.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".memory.fill")]
unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
    naked_asm!(
        "mov   r12, r0",
        "uxtb  r1, r1",
        "orr   r1, r1, r1, lsl #8",
        "orr   r1, r1, r1, lsl #16",
        "subs  r2, #4",
        "blo   3f",
        "lsls  r3, r0, #30",
        "bne   2f",
        // It is aligned: four words a turn.
        "mov   r3, r1",
        "subs  r2, #12",
        "blo   1f",
        "0:",
        "strd  r1, r3, [r12], #8",
        "strd  r1, r3, [r12], #8",
        "subs  r2, #16",
        "bhs   0b",
        "1:",
        "adds  r2, #12",
        "bcc   3f",
        "2:",
        "str   r1, [r12], #4",
        "subs  r2, #4",
        "bhs   2b",
        "3:",
        "adds  r2, #4",
        "beq   5f",
        "4:",
        "strb  r1, [r12], #1",
        "subs  r2, #1",
        "bne   4b",
        "5:",
        "bx    lr",
    )
}

/// As [`memset`], in the ABI's own order.
///
/// # Safety
/// As for [`memset`].
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".memory.fill")]
unsafe extern "C" fn __aeabi_memset(to: *mut u8, count: usize, value: i32) {
    naked_asm!(
        also!("__aeabi_memset4", "__aeabi_memset8"),
        "mov   r3, r1",
        "mov   r1, r2",
        "mov   r2, r3",
        "b     {memset}",
        memset = sym memset,
    )
}

/// As [`memset`], of zeros.
///
/// # Safety
/// As for [`memset`].
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".memory.fill")]
unsafe extern "C" fn __aeabi_memclr(to: *mut u8, count: usize) {
    naked_asm!(
        also!("__aeabi_memclr4", "__aeabi_memclr8"),
        // The C library's has all of these names, too; a program may have one of its own.
        ".weak bzero",
        ".thumb_func",
        "bzero:",
        "mov   r2, r1",
        "movs  r1, #0",
        "b     {memset}",
        memset = sym memset,
    )
}

/// Compares `count` bytes: below, at or above 0, as the first that differ.
///
/// # Safety
/// `left` and `right` are valid for reads of `count` bytes.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".memory.compare")]
unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, count: usize) -> i32 {
    naked_asm!(
        also!("bcmp"),
        "1:",
        "subs  r2, #4",
        "blo   2f",
        "ldr   r3, [r0], #4",
        "ldr   r12, [r1], #4",
        "cmp   r3, r12",
        "beq   1b",
        // The byte that differs comes first in memory, and is last in a word.
        "rev   r0, r3",
        "rev   r1, r12",
        "cmp   r0, r1",
        "ite   lo",
        "movlo r0, #-1",
        "movhs r0, #1",
        "bx    lr",
        "2:",
        "adds  r2, #4",
        "3:",
        "beq   4f",
        "ldrb  r3, [r0], #1",
        "ldrb  r12, [r1], #1",
        "subs  r3, r3, r12",
        "bne   5f",
        "subs  r2, #1",
        "b     3b",
        "4:",
        "movs  r3, #0",
        "5:",
        "mov   r0, r3",
        "bx    lr",
    )
}
