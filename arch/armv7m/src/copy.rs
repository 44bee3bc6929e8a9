//! The memory copy of messages, and its like that writes zeros.

use core::arch::naked_asm;

use riposte_kernel::CHUNK;

/// `VECTPENDING` in the interrupt control state, of which the first 256 exceptions take 8 bits: an
/// exception waits to be taken. (`ISRPENDING` tells of masked interrupts, too.)
pub(crate) const PENDING: u32 = 0xFF << 12;

/// Copies `length` bytes in ascending order, eight words at a time where both addresses are
/// aligned. Gives way after each [`CHUNK`] if an interrupt is pending; returns the bytes copied.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `length` bytes, and nobody else accesses them
/// meanwhile, or only by volatile means (user memory).
#[unsafe(naked)]
pub unsafe extern "C" fn copy(to: *mut u8, from: *const u8, length: usize) -> usize {
    naked_asm!(
        "orr   r3, r0, r1",
        "lsls  r3, r3, #30",
        "bne   20f",
        "push  {{r2, r4-r9, lr}}",
        // Whole chunks, with a look at the interrupts after each.
        "subs  r2, #{chunk}",
        "blo   2f",
        "1:",
        ".rept {chunk} / 32",
        "ldm   r1!, {{r3-r9, r12}}",
        "stm   r0!, {{r3-r9, r12}}",
        ".endr",
        "subs  r2, #{chunk}",
        "blo   2f",
        "ldr   r3, 9f",
        "ldr   r3, [r3]",
        "tst   r3, #{pending}",
        "beq   1b",
        // Interrupted: what is left is r2 + CHUNK.
        "add   r2, #{chunk}",
        "b     8f",
        "2:",
        "adds  r2, #{chunk} - 32",
        "bmi   4f",
        "3:",
        "ldm   r1!, {{r3-r9, r12}}",
        "stm   r0!, {{r3-r9, r12}}",
        "subs  r2, #32",
        "bpl   3b",
        "4:",
        "adds  r2, #32 - 4",
        "bmi   6f",
        "5:",
        "ldr   r3, [r1], #4",
        "str   r3, [r0], #4",
        "subs  r2, #4",
        "bpl   5b",
        "6:",
        "adds  r2, #4",
        "beq   8f",
        "7:",
        "ldrb  r3, [r1], #1",
        "strb  r3, [r0], #1",
        "subs  r2, #1",
        "bne   7b",
        "8:",
        "mov   r1, r2",
        "pop   {{r0, r4-r9, lr}}",
        "subs  r0, r0, r1",
        "bx    lr",
        // Not aligned: words as far as they go (the processor splits them), then bytes.
        "20:",
        "push  {{r2, r4}}",
        "mov   r12, #{chunk} / 4",
        "subs  r2, #4",
        "blo   22f",
        "21:",
        "ldr   r3, [r1], #4",
        "str   r3, [r0], #4",
        "subs  r12, #1",
        "beq   25f",
        "26:",
        "subs  r2, #4",
        "bhs   21b",
        "22:",
        "adds  r2, #4",
        "beq   24f",
        "23:",
        "ldrb  r3, [r1], #1",
        "strb  r3, [r0], #1",
        "subs  r2, #1",
        "bne   23b",
        "24:",
        "pop   {{r0, r4}}",
        "subs  r0, r0, r2",
        "bx    lr",
        "25:",
        "mov   r12, #{chunk} / 4",
        "ldr   r3, 9f",
        "ldr   r3, [r3]",
        "tst   r3, #{pending}",
        "beq   26b",
        "b     24b",
        ".balign 4",
        "9: .word 0xE000ED04",
        chunk = const CHUNK,
        pending = const PENDING,
    )
}

/// Copies `length` bytes, few of them: as [`copy`], but without a look at the interrupts.
///
/// # Safety
/// As [`copy`]'s.
#[unsafe(naked)]
pub unsafe extern "C" fn copy_short(to: *mut u8, from: *const u8, length: usize) {
    naked_asm!(
        "orr   r3, r0, r1",
        "lsls  r3, r3, #30",
        "bne   20f",
        // Into the row of copies, as many before its end as there are blocks of 32 bytes; each is
        // 8 bytes of code.
        "bic   r3, r2, #31",
        "push  {{r4-r9}}",
        "adr   r12, 4f + 1",
        "sub   r12, r12, r3, lsr #2",
        "ands  r2, #31",
        "bx    r12",
        ".balign 4",
        ".rept {chunk} / 32",
        "ldm   r1!, {{r3-r9, r12}}",
        "stm   r0!, {{r3-r9, r12}}",
        ".endr",
        "4:",
        "pop   {{r4-r9}}",
        "beq   8f",
        "20:",
        "subs  r2, #4",
        "bmi   6f",
        "5:",
        "ldr   r3, [r1], #4",
        "str   r3, [r0], #4",
        "subs  r2, #4",
        "bpl   5b",
        "6:",
        "adds  r2, #4",
        "beq   8f",
        "7:",
        "ldrb  r3, [r1], #1",
        "strb  r3, [r0], #1",
        "subs  r2, #1",
        "bne   7b",
        "8:",
        "bx    lr",
        chunk = const CHUNK,
    )
}

/// Writes `length` zero bytes, a multiple of 32 as is `to`, in ascending order. Gives way after each
/// [`CHUNK`] if an interrupt is pending; returns the bytes written.
///
/// # Safety
/// `to` is valid for writes of `length` bytes, and nobody else accesses them meanwhile, or only by
/// volatile means (user memory).
#[unsafe(naked)]
pub unsafe extern "C" fn clear(to: *mut u8, length: usize) -> usize {
    naked_asm!(
        "push  {{r0, r4-r9, lr}}",
        "movs  r2, #0",
        "movs  r3, #0",
        "movs  r4, #0",
        "movs  r5, #0",
        "movs  r6, #0",
        "movs  r7, #0",
        "mov   r8, r2",
        "mov   r9, r2",
        // Whole chunks, with a look at the interrupts after each.
        "subs  r1, #{chunk}",
        "blo   2f",
        "1:",
        ".rept {chunk} / 32",
        "stm   r0!, {{r2-r9}}",
        ".endr",
        "subs  r1, #{chunk}",
        "blo   2f",
        "ldr   r12, 9f",
        "ldr   r12, [r12]",
        "tst   r12, #{pending}",
        "beq   1b",
        "b     8f",
        "2:",
        "adds  r1, #{chunk} - 32",
        "bmi   8f",
        "3:",
        "stm   r0!, {{r2-r9}}",
        "subs  r1, #32",
        "bpl   3b",
        "8:",
        "pop   {{r1, r4-r9, lr}}",
        "subs  r0, r0, r1",
        "bx    lr",
        ".balign 4",
        "9: .word 0xE000ED04",
        chunk = const CHUNK,
        pending = const PENDING,
    )
}
