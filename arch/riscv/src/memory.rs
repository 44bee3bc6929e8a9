//! The memory functions that the compiler calls. The kernel moves little of its own, so that the
//! smallest form is right; messages have a copy of their own.

use core::arch::naked_asm;

/// Copies `n` bytes; a word at a time where all are aligned.
///
/// # Safety
/// As C's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    naked_asm!(
        "mv    t0, a0",
        "or    t1, a0, a1",
        "or    t1, t1, a2",
        "andi  t1, t1, 3",
        "bnez  t1, 2f",
        "j     4f",
        "3:",
        "lw    t1, 0(a1)",
        "addi  a1, a1, 4",
        "sw    t1, 0(t0)",
        "addi  t0, t0, 4",
        "addi  a2, a2, -4",
        "4:",
        "bnez  a2, 3b",
        "ret",
        "1:",
        "lbu   t1, 0(a1)",
        "addi  a1, a1, 1",
        "sb    t1, 0(t0)",
        "addi  t0, t0, 1",
        "addi  a2, a2, -1",
        "2:",
        "bnez  a2, 1b",
        "ret",
    )
}

/// Sets `n` bytes to `value`; words of zeros a word at a time, as the kernel's own cells are.
///
/// # Safety
/// As C's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, value: i32, n: usize) -> *mut u8 {
    naked_asm!(
        "mv    t0, a0",
        "add   t1, a0, a2",
        "or    t2, a0, a2",
        "andi  t2, t2, 3",
        "or    t2, t2, a1",
        "bnez  t2, 2f",
        "j     4f",
        "3:",
        "sw    zero, 0(t0)",
        "addi  t0, t0, 4",
        "4:",
        "bne   t0, t1, 3b",
        "ret",
        "1:",
        "sb    a1, 0(t0)",
        "addi  t0, t0, 1",
        "2:",
        "bne   t0, t1, 1b",
        "ret",
    )
}
