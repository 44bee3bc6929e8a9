// What every test program shares: start-up, registers, traps. Included as a module.
#![allow(dead_code)]

use core::arch::{asm, global_asm};
use core::fmt::{self, Write};
use core::panic::PanicInfo;

pub const REGISTERS: usize = 0xF000_0000;
pub const CONSOLE: usize = REGISTERS;
pub const EXIT: usize = REGISTERS + 0x1000;
pub const RAM_SIZE: usize = REGISTERS + 0x1004;
pub const GPIO: usize = REGISTERS + 0x2000;
pub const GPIO_SET: usize = REGISTERS + 0x2004;
pub const GPIO_CLEAR: usize = REGISTERS + 0x2008;
pub const CYCLE_LOW: usize = REGISTERS + 0x3000;
pub const CYCLE_HIGH: usize = REGISTERS + 0x3004;
pub const RETIRED_LOW: usize = REGISTERS + 0x3008;
pub const REPORT: usize = REGISTERS + 0x3010;
pub const BEGIN: usize = REGISTERS + 0x3800;
pub const END: usize = REGISTERS + 0x3804;
pub const MILLISECONDS: usize = REGISTERS + 0x5000;
pub const RAISE: usize = REGISTERS + 0x4000;
pub const RAISED_LOW: usize = REGISTERS + 0x4008;
pub const TIMER: usize = 0xF200_0000;
pub const MTIMECMP: usize = TIMER + 0x4000;
pub const MTIME: usize = TIMER + 0xBFF8;
pub const INTERRUPTS: usize = 0xFC00_0000;
pub const CLAIM: usize = INTERRUPTS + 0x20_0004;

pub fn read(address: usize) -> u32 {
    // SAFETY: callers name registers of the board, or RAM that nothing else uses.
    unsafe { (address as *const u32).read_volatile() }
}

pub fn write(address: usize, value: u32) {
    // SAFETY: as for `read`.
    unsafe { (address as *mut u32).write_volatile(value) }
}

pub fn cycles() -> u32 {
    read(CYCLE_LOW)
}

pub fn exit(code: u32) -> ! {
    write(EXIT, code);
    loop {}
}

pub struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            write(CONSOLE, byte.into());
        }
        Ok(())
    }
}

#[allow(unused_macros)]
macro_rules! println {
    ($($argument:tt)*) => {{
        use core::fmt::Write;
        let _ = writeln!(board::Console, $($argument)*);
    }};
}
#[allow(unused_imports)]
pub(crate) use println;

/// Ends the program with 1, saying where, unless the condition holds.
#[allow(unused_macros)]
macro_rules! check {
    ($condition:expr) => {
        if !$condition {
            board::println!("failed: {}", stringify!($condition));
            board::exit(1);
        }
    };
}
#[allow(unused_imports)]
pub(crate) use check;

#[allow(unused_macros)]
macro_rules! csr_write {
    ($csr:literal, $value:expr) => {
        // SAFETY: test programs own the whole machine.
        unsafe { core::arch::asm!(concat!("csrw ", $csr, ", {}"), in(reg) $value) }
    };
}
#[allow(unused_imports)]
pub(crate) use csr_write;

#[allow(unused_macros)]
macro_rules! csr_read {
    ($csr:literal) => {{
        let value: usize;
        // SAFETY: test programs own the whole machine.
        unsafe { core::arch::asm!(concat!("csrr {}, ", $csr), out(reg) value) };
        value
    }};
}
#[allow(unused_imports)]
pub(crate) use csr_read;

pub const CAUSE_TIMER: usize = 0x8000_0007;
pub const CAUSE_EXTERNAL: usize = 0x8000_000B;
pub const CAUSE_SOFTWARE: usize = 0x8000_0003;

/// Enables the machine interrupts that `mask` names in mie, and interrupts as such.
pub fn enable_interrupts(mask: usize) {
    csr_write!("mie", mask);
    // VexRiscv gates its external line by a mask of its own.
    #[cfg(core = "vexriscv")]
    csr_write!("0xBC0", 1);
    // SAFETY: the trap vector is set by `_start`.
    unsafe { asm!("csrsi mstatus, 8") }
}

global_asm!(
    ".section .text.start",
    ".global _start",
    "_start:",
    "la sp, _stack_top",
    "la t0, trap_vectors",
    "ori t0, t0, 1",
    "csrw mtvec, t0",
    "csrw mscratch, zero",
    "call main",
    "mv a0, zero",
    "call {exit}",
    // Ibex is always vectored, VexRiscv never: every vector leads to the same place.
    ".balign 256",
    ".option push",
    ".option norvc",
    "trap_vectors:",
    ".rept 16",
    "j trap_entry",
    ".endr",
    ".option pop",
    // All that a Rust function may change goes onto the machine stack; from user mode on, mscratch
    // holds it.
    "trap_entry:",
    "csrrw sp, mscratch, sp",
    "bnez sp, 1f",
    "csrr sp, mscratch",
    "1:",
    "addi sp, sp, -80",
    "sw ra, 0(sp)",
    "sw t0, 4(sp)",
    "sw t1, 8(sp)",
    "sw t2, 12(sp)",
    "sw a0, 16(sp)",
    "sw a1, 20(sp)",
    "sw a2, 24(sp)",
    "sw a3, 28(sp)",
    "sw a4, 32(sp)",
    "sw a5, 36(sp)",
    "sw a6, 40(sp)",
    "sw a7, 44(sp)",
    "sw t3, 48(sp)",
    "sw t4, 52(sp)",
    "sw t5, 56(sp)",
    "sw t6, 60(sp)",
    "csrr t0, mscratch",
    "sw t0, 64(sp)",
    "csrw mscratch, zero",
    "csrr a0, mcause",
    "csrr a1, mepc",
    "csrr a2, mtval",
    "call trap",
    "csrw mepc, a0",
    "lw t0, 64(sp)",
    // From machine mode both were the same stack pointer.
    "addi t1, sp, 80",
    "beq t0, t1, 2f",
    "csrw mscratch, t1",
    "2:",
    "lw ra, 0(sp)",
    "lw t1, 8(sp)",
    "lw t2, 12(sp)",
    "lw a0, 16(sp)",
    "lw a1, 20(sp)",
    "lw a2, 24(sp)",
    "lw a3, 28(sp)",
    "lw a4, 32(sp)",
    "lw a5, 36(sp)",
    "lw a6, 40(sp)",
    "lw a7, 44(sp)",
    "lw t3, 48(sp)",
    "lw t4, 52(sp)",
    "lw t5, 56(sp)",
    "lw t6, 60(sp)",
    "lw t0, 4(sp)",
    "lw sp, 64(sp)",
    "mret",
    exit = sym exit,
);

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    let _ = writeln!(Console, "{info}");
    exit(99)
}
