//! The memory copy of messages, and its like that writes zeros.

use core::arch::{asm, naked_asm};

use riposte_kernel::CHUNK;

use crate::build::GRANULE;

/// Copies 32 bytes, of which [`begin`] has loaded the first words. Each store comes with a load before
/// it: a processor that goes on while a store is on its way to the RAM (VexRiscv) does the next load
/// meanwhile, and none waits for its own. With `begins`, the words behind them are loaded for the next.
#[rustfmt::skip]
macro_rules! part {
    ($offset:literal, $from:literal, $to:literal) => {
        concat!(
            part!(@ $offset, $from, $to),
            line!("sw", "t5", $offset, "24", $to), line!("sw", "t6", $offset, "28", $to),
        )
    };
    ($offset:literal, $from:literal, $to:literal, begins) => {
        concat!(
            part!(@ $offset, $from, $to),
            line!("lw", "a3", $offset, "32", $from), line!("sw", "t5", $offset, "24", $to),
            line!("lw", "a4", $offset, "36", $from), line!("sw", "t6", $offset, "28", $to),
        )
    };
    (@ $offset:literal, $from:literal, $to:literal) => {
        concat!(
            line!("lw", "a5", $offset, "8", $from), line!("sw", "a3", $offset, "0", $to),
            line!("lw", "a6", $offset, "12", $from), line!("sw", "a4", $offset, "4", $to),
            line!("lw", "a7", $offset, "16", $from), line!("sw", "a5", $offset, "8", $to),
            line!("lw", "t4", $offset, "20", $from), line!("sw", "a6", $offset, "12", $to),
            line!("lw", "t5", $offset, "24", $from), line!("sw", "a7", $offset, "16", $to),
            line!("lw", "t6", $offset, "28", $from), line!("sw", "t4", $offset, "20", $to),
        )
    };
}

/// Loads the first words of the 32 bytes that a [`part`] copies.
macro_rules! begin {
    ($offset:literal, $from:literal) => {
        concat!(
            line!("lw", "a3", $offset, "0", $from),
            line!("lw", "a4", $offset, "4", $from),
        )
    };
}

/// Copies 32 bytes.
macro_rules! row {
    ($offset:literal, $from:literal, $to:literal) => {
        concat!(begin!($offset, $from), part!($offset, $from, $to))
    };
}

macro_rules! line {
    ($operation:literal, $register:literal, $offset:literal, $more:literal, $base:literal) => {
        concat!(
            $operation, " ", $register, ", ", $offset, "+", $more, "(", $base, ")\n"
        )
    };
}

/// Writes 32 zero bytes at a0.
#[rustfmt::skip]
macro_rules! zeros {
    ($offset:literal) => {
        concat!(
            zeros!(@ $offset, "0"), zeros!(@ $offset, "4"),
            zeros!(@ $offset, "8"), zeros!(@ $offset, "12"),
            zeros!(@ $offset, "16"), zeros!(@ $offset, "20"),
            zeros!(@ $offset, "24"), zeros!(@ $offset, "28"),
        )
    };
    (@ $offset:literal, $more:literal) => {
        concat!("sw zero, ", $offset, "+", $more, "(a0)\n")
    };
}

/// Bytes after which [`copy`] looks for interrupts where the addresses are not aligned: it goes byte by
/// byte there.
const SLOW_CHUNK: u32 = CHUNK / 4;

/// Copies `length` bytes in ascending order, eight words at a time where both addresses are
/// aligned. Gives way after each [`CHUNK`] if an interrupt is pending; returns the bytes copied.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `length` bytes, and nobody else accesses them
/// meanwhile, or only by volatile means (user memory).
#[unsafe(naked)]
pub unsafe extern "C" fn copy(to: *mut u8, from: *const u8, length: usize) -> usize {
    naked_asm!(
        // t0: end of the source. Whole chunks, with a look at the interrupts after each.
        "mv    t0, a1",
        "li    t1, {chunk}",
        "or    t2, a0, a1",
        "andi  t2, t2, 3",
        "bnez  t2, 20f",
        "bltu  a2, t1, 2f",
        "1:",
        "addi  t2, a1, {chunk}",
        "3:",
        begin!("0", "a1"),
        part!("0", "a1", "a0", begins),
        part!("32", "a1", "a0", begins),
        part!("64", "a1", "a0", begins),
        part!("96", "a1", "a0"),
        "addi  a1, a1, 128",
        "addi  a0, a0, 128",
        "bne   a1, t2, 3b",
        "addi  a2, a2, -{chunk}",
        "bltu  a2, t1, 2f",
        "csrr  t3, mip",
        "csrr  t4, mie",
        "and   t3, t3, t4",
        "beqz  t3, 1b",
        "j     8f",
        // Less than a chunk: blocks of 32 bytes, words, bytes.
        "2:",
        "addi  a2, a2, -32",
        "bltz  a2, 5f",
        "4:",
        row!("0", "a1", "a0"),
        "addi  a1, a1, 32",
        "addi  a0, a0, 32",
        "addi  a2, a2, -32",
        "bgez  a2, 4b",
        "5:",
        "addi  a2, a2, 32 - 4",
        "bltz  a2, 7f",
        "6:",
        "lw    t2, 0(a1)",
        "addi  a1, a1, 4",
        "sw    t2, 0(a0)",
        "addi  a0, a0, 4",
        "addi  a2, a2, -4",
        "bgez  a2, 6b",
        "7:",
        "addi  a2, a2, 4",
        "beqz  a2, 8f",
        "9:",
        "lbu   t2, 0(a1)",
        "addi  a1, a1, 1",
        "sb    t2, 0(a0)",
        "addi  a0, a0, 1",
        "addi  a2, a2, -1",
        "bnez  a2, 9b",
        "8:",
        "sub   a0, a1, t0",
        "ret",
        // Not aligned: bytes.
        "20:",
        "beqz  a2, 8b",
        "li    t1, {slow}",
        "add   t5, a1, a2",
        "21:",
        "add   t2, a1, t1",
        "bltu  a2, t1, 22f",
        "addi  a2, a2, -{slow}",
        "j     23f",
        "22:",
        "mv    t2, t5",
        "23:",
        "lbu   t3, 0(a1)",
        "addi  a1, a1, 1",
        "sb    t3, 0(a0)",
        "addi  a0, a0, 1",
        "bne   a1, t2, 23b",
        "beq   a1, t5, 8b",
        "csrr  t3, mip",
        "csrr  t4, mie",
        "and   t3, t3, t4",
        "beqz  t3, 21b",
        "j     8b",
        chunk = const CHUNK,
        slow = const SLOW_CHUNK,
    )
}

/// Copies `length` bytes, at most [`CHUNK`]: as [`copy`], but without a look at the interrupts.
///
/// # Safety
/// As [`copy`]'s.
#[inline(always)]
pub unsafe fn copy_short(to: u32, from: u32, length: u32) {
    // SAFETY: the caller's promise; the registers that the row changes are listed. It is called
    // with t0 as its link register, so that a function that copies last needs no stack.
    unsafe {
        asm!(
            "jal t0, {row}",
            row = sym row,
            inout("a0") to => _,
            inout("a1") from => _,
            inout("a2") length => _,
            out("a3") _, out("a4") _, out("a5") _, out("a6") _, out("a7") _,
            out("t0") _, out("t1") _, out("t2") _, out("t4") _, out("t5") _, out("t6") _,
            options(nostack),
        );
    }
}

/// What [`copy_short`] calls: bytes to a0, from a1, as many as a2 says; returns to t0.
#[unsafe(naked)]
#[unsafe(link_section = ".trap.copy")]
unsafe extern "C" fn row() {
    naked_asm!(
        "or    t2, a0, a1",
        "andi  t2, t2, 3",
        "bnez  t2, 20f",
        // Into the row of copies, as many before its end as there are blocks of 32 bytes; each is
        // 64 bytes of code.
        "andi  t2, a2, -32",
        "add   a0, a0, t2",
        "add   a1, a1, t2",
        "3:",
        "auipc t1, %pcrel_hi(4f)",
        "slli  t2, t2, 1",
        "sub   t1, t1, t2",
        "andi  a2, a2, 31",
        "jr    %pcrel_lo(3b)(t1)",
        ".option push",
        ".option norvc",
        ".balign 4",
        row!("-512", "a1", "a0"),
        row!("-480", "a1", "a0"),
        row!("-448", "a1", "a0"),
        row!("-416", "a1", "a0"),
        row!("-384", "a1", "a0"),
        row!("-352", "a1", "a0"),
        row!("-320", "a1", "a0"),
        row!("-288", "a1", "a0"),
        row!("-256", "a1", "a0"),
        row!("-224", "a1", "a0"),
        row!("-192", "a1", "a0"),
        row!("-160", "a1", "a0"),
        row!("-128", "a1", "a0"),
        row!("-96", "a1", "a0"),
        row!("-64", "a1", "a0"),
        row!("-32", "a1", "a0"),
        ".option pop",
        "4:",
        "beqz  a2, 8f",
        "addi  a2, a2, -4",
        "bltz  a2, 6f",
        "5:",
        "lw    t2, 0(a1)",
        "addi  a1, a1, 4",
        "sw    t2, 0(a0)",
        "addi  a0, a0, 4",
        "addi  a2, a2, -4",
        "bgez  a2, 5b",
        "6:",
        "addi  a2, a2, 4",
        "7:",
        "beqz  a2, 8f",
        "9:",
        "lbu   t2, 0(a1)",
        "addi  a1, a1, 1",
        "sb    t2, 0(a0)",
        "addi  a0, a0, 1",
        "addi  a2, a2, -1",
        "bnez  a2, 9b",
        "8:",
        "jr    t0",
        // Not aligned: a few bytes as such, and so many that the destination is aligned.
        "20:",
        "sltiu t2, a2, 16",
        "bnez  t2, 7b",
        "21:",
        "andi  t2, a0, 3",
        "beqz  t2, 22f",
        "lbu   t2, 0(a1)",
        "addi  a1, a1, 1",
        "sb    t2, 0(a0)",
        "addi  a0, a0, 1",
        "addi  a2, a2, -1",
        "j     21b",
        "22:",
        "andi  t2, a1, 3",
        "beqz  t2, 4b",
        // Each word is made of two of the source: all of those hold bytes that are asked for. Byte by
        // byte a chunk would take longer than interrupts may wait.
        "sub   a1, a1, t2",
        "slli  t1, t2, 3",
        "neg   t4, t1",
        "lw    a3, 0(a1)",
        "addi  a2, a2, -8",
        "bltz  a2, 24f",
        "23:",
        "lw    a4, 4(a1)",
        "srl   a3, a3, t1",
        "sll   a5, a4, t4",
        "or    a3, a3, a5",
        "sw    a3, 0(a0)",
        "lw    a3, 8(a1)",
        "srl   a4, a4, t1",
        "sll   a5, a3, t4",
        "or    a4, a4, a5",
        "sw    a4, 4(a0)",
        "addi  a1, a1, 8",
        "addi  a0, a0, 8",
        "addi  a2, a2, -8",
        "bgez  a2, 23b",
        "24:",
        "addi  a2, a2, 8",
        "add   a1, a1, t2",
        "j     7b",
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
        // a2: the beginning. Whole chunks, with a look at the interrupts after each.
        "mv    a2, a0",
        "li    t1, {chunk}",
        "bltu  a1, t1, 2f",
        "1:",
        "addi  t2, a0, {chunk}",
        "3:",
        zeros!("0"),
        zeros!("32"),
        zeros!("64"),
        zeros!("96"),
        "addi  a0, a0, 128",
        "bne   a0, t2, 3b",
        "addi  a1, a1, -{chunk}",
        "bltu  a1, t1, 2f",
        "csrr  t3, mip",
        "csrr  t4, mie",
        "and   t3, t3, t4",
        "beqz  t3, 1b",
        "j     8f",
        // Less than a chunk: blocks of 32 bytes.
        "2:",
        "add   t2, a0, a1",
        "beqz  a1, 8f",
        "4:",
        zeros!("0"),
        "addi  a0, a0, 32",
        "bne   a0, t2, 4b",
        "8:",
        "sub   a0, a0, a2",
        "ret",
        chunk = const CHUNK,
    )
}

const _: () = assert!(
    CHUNK == 512 && GRANULE.is_multiple_of(32),
    "what is cleared is blocks of 32 bytes"
);
