//! Riposte on QEMU's RISC-V board `virt`, RV32 with physical memory protection.
//!
//! The kernel's image for one application: the objects come from the configuration that the image
//! builder generates (`RIPOSTE_CONFIG`).
#![no_std]
#![no_main]

mod clock;
mod exit;
mod memory;

use core::arch::naked_asm;

use riposte_riscv::{Board, start, trap};

/// The application's processes, threads, channels and handles.
#[allow(missing_docs)]
mod config {
    #[cfg(configured)]
    include!(env!("RIPOSTE_CONFIG"));
    #[cfg(not(configured))]
    compile_error!("build an application with ./riposte: its configuration is generated");
}

/// This board.
struct Virt;

impl Board for Virt {
    #[inline]
    fn now() -> u64 {
        clock::now()
    }

    #[inline]
    fn set_alarm(at: u64) {
        clock::set_alarm(at);
    }

    fn shutdown(code: u32) -> ! {
        exit::exit(code)
    }
}

riposte_riscv::traps!(config::KERNEL, Virt, config::FLOOR);

/// What the processor runs first: initialises the kernel's data, then the rest is Rust.
#[unsafe(naked)]
#[unsafe(link_section = ".reset")]
#[unsafe(no_mangle)]
unsafe extern "C" fn reset() {
    naked_asm!(
        "la    sp, __kernel_stack_top",
        "la    t0, __data_start",
        "la    t1, __data_end",
        "la    t2, __data_load",
        "j     2f",
        "1:",
        "lw    t3, 0(t2)",
        "sw    t3, 0(t0)",
        "addi  t0, t0, 4",
        "addi  t2, t2, 4",
        "2:",
        "bltu  t0, t1, 1b",
        "la    t0, __bss_start",
        "la    t1, __bss_end",
        "j     4f",
        "3:",
        "sw    zero, 0(t0)",
        "addi  t0, t0, 4",
        "4:",
        "bltu  t0, t1, 3b",
        "j     {main}",
        main = sym main,
    )
}

extern "C" fn main() -> ! {
    clock::set_alarm(u64::MAX);
    let entry = if config::FLOOR {
        trap::floor
    } else {
        trap::entry
    };
    // SAFETY: called once, by the reset code; the data are in place and the clock runs.
    unsafe { start(entry) }
}

/// What runs when no thread is ready. It has a place of its own (see `kernel.ld.in`).
#[unsafe(naked)]
#[unsafe(link_section = ".idle")]
#[unsafe(no_mangle)]
unsafe extern "C" fn riposte_idle() -> ! {
    naked_asm!("1: wfi", "j 1b")
}

#[used]
static IDLE: unsafe extern "C" fn() -> ! = riposte_idle;

#[unsafe(no_mangle)]
extern "C" fn riposte_kernel_fault() -> ! {
    exit::fail("riposte: the kernel itself has faulted\n")
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit::fail("riposte: the kernel has panicked\n")
}
