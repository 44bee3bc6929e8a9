//! Never ends, and its registers, its memory and the place where it is stopped belong together.
#![no_std]
#![no_main]
mod board;

use core::arch::global_asm;

global_asm!(
    ".option push",
    ".option norvc",
    ".option arch, +m",
    ".balign 256",
    "count_vectors:",
    "csrr t0, mepc",
    "mv s5, s0",
    "addi t0, t0, 4",
    "csrw mepc, t0",
    "mret",
    // s0 counts; s1: where the word is; s2: what was read of it; s3: a product; s5: the count at the last trap; s6: the
    // loop. ra and t6 tell that registers come in their order.
    "count_for_ever:",
    "la t0, count_vectors",
    "csrw mtvec, t0",
    "li s0, 0",
    "li s1, 0x80100000",
    "li s4, 3",
    "la s6, 1f",
    "li ra, 0x01010101",
    "li t6, 0x1F1F1F1F",
    ".balign 64",
    "1:",
    "addi s0, s0, 1",
    "sw s0, 0(s1)",
    "addi s0, s0, 1",
    "lw s2, 0(s1)",
    "addi s0, s0, 1",
    "mul s3, s0, s4",
    "ecall",
    "addi s0, s0, 1",
    "j 1b",
    ".option pop",
);

unsafe extern "C" {
    fn count_for_ever() -> !;
}

#[unsafe(no_mangle)]
fn main() {
    // SAFETY: it uses RAM that the program does not.
    unsafe { count_for_ever() }
}

#[unsafe(no_mangle)]
extern "C" fn trap(_cause: usize, _pc: usize, _value: usize) -> usize {
    board::exit(98);
}
