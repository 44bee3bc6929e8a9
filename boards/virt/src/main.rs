//! Riposte on QEMU's RISC-V board `virt`, RV32 with physical memory protection or page tables.
//!
//! The kernel's image for one application: the objects come from the configuration that the image
//! builder generates (`RIPOSTE_CONFIG`).
#![no_std]
#![no_main]

mod exit;

use riposte_riscv::{Board, Clint, start, trap};

/// The application's processes, threads, channels and handles.
#[allow(missing_docs)]
mod config {
    #[cfg(configured)]
    include!(env!("RIPOSTE_CONFIG"));
    #[cfg(not(configured))]
    compile_error!("build an application with ./riposte: its configuration is generated");
}

/// The machine timer, 10 MHz.
type Clock = Clint<0x0200_0000, 100>;

/// This board.
struct Virt;

impl Board for Virt {
    #[inline]
    fn now() -> u64 {
        // SAFETY: the board's CLINT, which nobody else uses.
        unsafe { Clock::now() }
    }

    #[inline]
    fn set_alarm(at: u64) {
        // SAFETY: the board's CLINT, which nobody else uses.
        unsafe { Clock::set_alarm(at) }
    }

    fn shutdown(code: u32) -> ! {
        exit::exit(code)
    }
}

riposte_riscv::traps!(config::KERNEL, Virt, config::FLOOR);

#[unsafe(no_mangle)]
extern "C" fn riposte_board_main() -> ! {
    Virt::set_alarm(u64::MAX);
    let entry = if config::FLOOR {
        trap::floor
    } else {
        trap::entry
    };
    // SAFETY: called once, by the reset code; the data are in place and the clock runs.
    unsafe { start(entry) }
}

#[unsafe(no_mangle)]
extern "C" fn riposte_kernel_fault() -> ! {
    exit::fail("riposte: the kernel itself has faulted\n")
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit::fail("riposte: the kernel has panicked\n")
}
