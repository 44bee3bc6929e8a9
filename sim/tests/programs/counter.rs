//! The cycle counter: 100 more instructions are 100 more cycles; probes see the same times.
#![no_std]
#![no_main]
mod board;

use board::check;
use core::arch::global_asm;

global_asm!(
    ".option push",
    ".option norvc",
    ".macro measured name, count",
    ".balign 64",
    ".global \\name",
    "\\name:",
    "li t0, {cycle}",
    "\\name\\()_begin:",
    "lw t1, 0(t0)",
    ".rept \\count",
    "addi t2, t2, 1",
    ".endr",
    "\\name\\()_end:",
    "lw a0, 0(t0)",
    "sub a0, a0, t1",
    "ret",
    ".endm",
    "measured short, 10",
    "measured long, 110",
    ".option pop",
    cycle = const board::CYCLE_LOW,
);

unsafe extern "C" {
    fn short() -> u32;
    fn long() -> u32;
}

fn instructions() -> u32 {
    board::read(board::RETIRED_LOW)
}

#[unsafe(no_mangle)]
fn main() {
    // SAFETY: they follow the call ABI.
    unsafe {
        // Once for the caches.
        short();
        long();
        let short = short();
        let long = long();
        board::println!("short {short} long {long}");
        check!(long - short == 100);

        check!(board::read(board::CYCLE_HIGH) == 0);
        let before = instructions();
        self::long();
        let retired = instructions() - before;
        check!((114..140).contains(&retired));
        // A hundred instructions more between the marks, wherever they are.
        board::write(board::BEGIN, 0);
        self::short();
        board::write(board::END, 0);
        board::write(board::BEGIN, 0);
        self::long();
        board::write(board::END, 0);
    }
    #[cfg(core = "ibex")]
    {
        let before = board::csr_read!("mcycle") as u32;
        let start = board::cycles();
        for _ in 0..50 {
            board::cycles();
        }
        let end = board::cycles();
        let after = board::csr_read!("mcycle") as u32;
        check!((after - before).abs_diff(end - start) < 12);
    }
    board::exit(0);
}

#[unsafe(no_mangle)]
extern "C" fn trap(_cause: usize, _pc: usize, _value: usize) -> usize {
    board::exit(98);
}
