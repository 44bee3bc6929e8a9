//! What the hardware itself costs, hot: a null system call, a copy, a clear; in cycles.
#![no_std]
#![no_main]
mod board;

use core::arch::global_asm;

// The trap handler is the shortest possible one: it steps over the ecall.
global_asm!(
    ".option push",
    ".option norvc",
    ".balign 256",
    "null_vectors:",
    "csrr t0, mepc",
    "addi t0, t0, 4",
    "csrw mepc, t0",
    "mret",
    ".balign 64",
    // a0: the vectors. Returns the cycles of an ecall with that handler: the third time, and less
    // what reading the counter costs.
    "null_call:",
    "csrw mtvec, a0",
    "li t3, {cycle}",
    "li t4, 3",
    "1:",
    "lw t1, 0(t3)",
    "ecall",
    "lw t2, 0(t3)",
    "lw t5, 0(t3)",
    "addi t4, t4, -1",
    "bnez t4, 1b",
    "sub a0, t2, t1",
    "sub t5, t5, t2",
    "sub a0, a0, t5",
    "ret",
    ".balign 64",
    // a0: to, a1: from, a2: bytes, a multiple of 32
    "copy:",
    "add a2, a0, a2",
    "1:",
    "lw t0, 0(a1)",
    "lw t1, 4(a1)",
    "lw t2, 8(a1)",
    "lw t3, 12(a1)",
    "lw t4, 16(a1)",
    "lw t5, 20(a1)",
    "lw t6, 24(a1)",
    "lw a3, 28(a1)",
    "sw t0, 0(a0)",
    "sw t1, 4(a0)",
    "sw t2, 8(a0)",
    "sw t3, 12(a0)",
    "sw t4, 16(a0)",
    "sw t5, 20(a0)",
    "sw t6, 24(a0)",
    "sw a3, 28(a0)",
    "addi a0, a0, 32",
    "addi a1, a1, 32",
    "bne a0, a2, 1b",
    "ret",
    ".balign 64",
    // a0: to, a1: bytes, a multiple of 32
    "clear:",
    "add a1, a0, a1",
    "1:",
    "sw zero, 0(a0)",
    "sw zero, 4(a0)",
    "sw zero, 8(a0)",
    "sw zero, 12(a0)",
    "sw zero, 16(a0)",
    "sw zero, 20(a0)",
    "sw zero, 24(a0)",
    "sw zero, 28(a0)",
    "addi a0, a0, 32",
    "bne a0, a1, 1b",
    "ret",
    ".option pop",
    cycle = const board::CYCLE_LOW,
);

unsafe extern "C" {
    static null_vectors: u8;
    fn null_call(vectors: *const u8) -> u32;
    fn copy(to: usize, from: usize, bytes: usize);
    fn clear(to: usize, bytes: usize);
}

fn hot(mut action: impl FnMut()) -> u32 {
    let mut last = 0;
    for _ in 0..4 {
        let start = board::cycles();
        action();
        last = board::cycles() - start;
    }
    last
}

#[unsafe(no_mangle)]
fn main() {
    // SAFETY: the ranges lie in RAM that the program does not use.
    unsafe {
        board::println!(
            "null system call with 3 instructions: {}",
            null_call(&raw const null_vectors)
        );
        board::println!(
            "copy 4096: {}",
            hot(|| copy(0x8010_0000, 0x8020_0000, 4096))
        );
        board::println!("clear 4096: {}", hot(|| clear(0x8010_0000, 4096)));
    }
    board::exit(0);
}

#[unsafe(no_mangle)]
extern "C" fn trap(cause: usize, pc: usize, value: usize) -> usize {
    board::println!("trap {cause:#x} at {pc:#x}, {value:#x}");
    board::exit(98);
}
