//! `memcpy`, `memmove` and `memset` for RISC-V (RV32), in the place of the compiler's own: those
//! copy one word in a turn of their loop, and one byte if the two ends are not aligned alike.
//!
//! The compiler makes calls of them wherever it likes, which is why they are written in assembly:
//! a loop in Rust could become a call of itself. They stand behind the program's own code (see its
//! linker script), which begins where the builder wants it.
//!
//! The invariants behind the `unsafe` here: C's promises on the ranges of each function; no more is
//! read than the aligned words that hold bytes of the source, and those lie within what the hardware
//! protects as one; nothing is written outside the destination; no register is changed that a call
//! would keep.

use core::arch::naked_asm;

/// Copies 32 bytes from a1 to t6. Each store comes with a load before it, which a processor does while
/// the store is on its way to the RAM (VexRiscv), and none waits for its own. A word is read before the
/// one at its place is written, so that a destination below an overlapping source is right too.
macro_rules! block {
    () => {
        "lw t0, 0(a1)\n lw t1, 4(a1)
         lw t2, 8(a1)\n sw t0, 0(t6)\n lw t3, 12(a1)\n sw t1, 4(t6)
         lw t4, 16(a1)\n sw t2, 8(t6)\n lw t5, 20(a1)\n sw t3, 12(t6)
         lw a6, 24(a1)\n sw t4, 16(t6)\n lw a7, 28(a1)\n sw t5, 20(t6)
         sw a6, 24(t6)\n sw a7, 28(t6)"
    };
}

/// Copies `count` bytes, upwards.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `count` bytes, and `to` does not lie within what
/// is copied.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".memory")]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // t6: where it writes; a3: the end of that; a0 is the result and stays.
    naked_asm!(
        "mv    t6, a0",
        "add   a3, a0, a2",
        "sltiu t0, a2, 16",
        "bnez  t0, 7f",
        // The destination is aligned.
        "andi  t0, t6, 3",
        "beqz  t0, 2f",
        "1:",
        "lbu   t1, 0(a1)",
        "addi  a1, a1, 1",
        "sb    t1, 0(t6)",
        "addi  t6, t6, 1",
        "andi  t0, t6, 3",
        "bnez  t0, 1b",
        "2:",
        "andi  t0, a1, 3",
        "bnez  t0, 5f",
        // So is the source: blocks, and then words.
        "sub   a4, a3, t6",
        "andi  a5, a4, -32",
        "add   a5, a5, t6",
        "beq   t6, a5, 4f",
        "3:",
        block!(),
        "addi  t6, t6, 32",
        "addi  a1, a1, 32",
        "bne   t6, a5, 3b",
        "4:",
        "andi  a5, a3, -4",
        "beq   t6, a5, 7f",
        "40:",
        "lw    t0, 0(a1)",
        "addi  t6, t6, 4",
        "addi  a1, a1, 4",
        "sw    t0, -4(t6)",
        "bne   t6, a5, 40b",
        "j     7f",
        // The source is not: each word is made of two, of which the first is there already.
        "5:",
        "slli  t0, t0, 3",
        "neg   t1, t0",
        "srli  a4, t0, 3",
        "andi  a1, a1, -4",
        "andi  a5, a3, -4",
        "lw    t2, 0(a1)",
        "beq   t6, a5, 60f",
        "6:",
        "lw    t3, 4(a1)",
        "addi  a1, a1, 4",
        "addi  t6, t6, 4",
        "srl   t2, t2, t0",
        "sll   t4, t3, t1",
        "or    t2, t2, t4",
        "sw    t2, -4(t6)",
        "mv    t2, t3",
        "bne   t6, a5, 6b",
        "60:",
        "add   a1, a1, a4",
        // Bytes: few, or those that are left.
        "7:",
        "beq   t6, a3, 9f",
        "8:",
        "lbu   t0, 0(a1)",
        "addi  t6, t6, 1",
        "addi  a1, a1, 1",
        "sb    t0, -1(t6)",
        "bne   t6, a3, 8b",
        "9:",
        "ret",
    )
}

/// Copies `count` bytes, which may overlap.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `count` bytes.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".memory")]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    naked_asm!(
        // Only a destination within the source needs its end copied first.
        "sub   t0, a0, a1",
        "bgeu  t0, a2, {memcpy}",
        "add   a1, a1, a2",
        "add   a3, a0, a2",
        "xor   t0, a1, a3",
        "andi  t0, t0, 3",
        "bnez  t0, 4f",
        // Both ends are aligned, after some bytes; no word if those are all.
        "1:",
        "beq   a3, a0, 6f",
        "andi  t0, a3, 3",
        "beqz  t0, 2f",
        "addi  a1, a1, -1",
        "addi  a3, a3, -1",
        "lbu   t0, 0(a1)",
        "sb    t0, 0(a3)",
        "j     1b",
        "2:",
        "addi  t1, a0, 4",
        "3:",
        "bltu  a3, t1, 4f",
        "addi  a1, a1, -4",
        "addi  a3, a3, -4",
        "lw    t0, 0(a1)",
        "sw    t0, 0(a3)",
        "j     3b",
        "4:",
        "beq   a3, a0, 6f",
        "5:",
        "addi  a1, a1, -1",
        "addi  a3, a3, -1",
        "lbu   t0, 0(a1)",
        "sb    t0, 0(a3)",
        "bne   a3, a0, 5b",
        "6:",
        "ret",
        memcpy = sym memcpy,
    )
}

/// Writes `value` into `count` bytes.
///
/// # Safety
/// `to` is valid for writes of `count` bytes.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".memory")]
unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
    // t6: where it writes; a3: the end of that; a0 is the result and stays.
    naked_asm!(
        "mv    t6, a0",
        "add   a3, a0, a2",
        "sltiu t0, a2, 8",
        "bnez  t0, 5f",
        "andi  a1, a1, 0xFF",
        "slli  t0, a1, 8",
        "or    a1, a1, t0",
        "slli  t0, a1, 16",
        "or    a1, a1, t0",
        "1:",
        "andi  t0, t6, 3",
        "beqz  t0, 2f",
        "sb    a1, 0(t6)",
        "addi  t6, t6, 1",
        "j     1b",
        "2:",
        "sub   a4, a3, t6",
        "andi  a5, a4, -64",
        "add   a5, a5, t6",
        "beq   t6, a5, 4f",
        "3:",
        "sw a1, 0(t6)\n sw a1, 4(t6)\n sw a1, 8(t6)\n sw a1, 12(t6)",
        "sw a1, 16(t6)\n sw a1, 20(t6)\n sw a1, 24(t6)\n sw a1, 28(t6)",
        "sw a1, 32(t6)\n sw a1, 36(t6)\n sw a1, 40(t6)\n sw a1, 44(t6)",
        "sw a1, 48(t6)\n sw a1, 52(t6)\n sw a1, 56(t6)\n sw a1, 60(t6)",
        "addi  t6, t6, 64",
        "bne   t6, a5, 3b",
        "4:",
        "andi  a5, a3, -4",
        "beq   t6, a5, 5f",
        "40:",
        "addi  t6, t6, 4",
        "sw    a1, -4(t6)",
        "bne   t6, a5, 40b",
        "5:",
        "beq   t6, a3, 7f",
        "6:",
        "addi  t6, t6, 1",
        "sb    a1, -1(t6)",
        "bne   t6, a3, 6b",
        "7:",
        "ret",
    )
}
