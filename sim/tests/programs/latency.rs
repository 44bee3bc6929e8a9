//! Cycles of 64 stores, of 64 loads a line apart, and of a hot loop; for any latency of the RAM.
#![no_std]
#![no_main]
mod board;

use core::arch::global_asm;

global_asm!(
    ".option push",
    ".option norvc",
    ".balign 64",
    "stores:",
    ".rept 64",
    "sw zero, 0(a0)",
    ".endr",
    "ret",
    ".balign 64",
    // 128 bytes apart, which is a line of any cache here; the results are not used.
    "loads:",
    "li t0, 64",
    "1:",
    "lw zero, 0(a0)",
    "addi a0, a0, 128",
    "addi t0, t0, -1",
    "bnez t0, 1b",
    "ret",
    ".balign 64",
    "loop_of_100:",
    "li t0, 100",
    "1:",
    "addi t0, t0, -1",
    "bnez t0, 1b",
    "ret",
    ".option pop",
);

unsafe extern "C" {
    fn stores(to: usize);
    fn loads(from: usize);
    fn loop_of_100();
}

/// Twice: the second time every instruction is where it can be fetched fastest.
fn second(mut action: impl FnMut()) -> u32 {
    action();
    let start = board::cycles();
    action();
    board::cycles() - start
}

#[unsafe(no_mangle)]
fn main() {
    // SAFETY: RAM that the program does not use. 64 lines 128 bytes apart are twice the data
    // cache, so that every load misses it each time.
    unsafe {
        let stores = second(|| stores(0x8010_0000));
        let loads = second(|| loads(0x8020_0000));
        let looped = second(|| loop_of_100());
        board::println!("stores {stores} loads {loads} loop {looped}");
    }
    board::exit(0);
}

#[unsafe(no_mangle)]
extern "C" fn trap(_cause: usize, _pc: usize, _value: usize) -> usize {
    board::exit(98);
}
