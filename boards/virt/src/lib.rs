//! Riposte on QEMU's RISC-V board `virt`, RV32 with physical memory protection or page tables.
//!
//! The kernel's image for one application: the objects come from the configuration that the image
//! builder generates (`RIPOSTE_CONFIG`).
#![no_std]

mod exit;

use riposte_riscv::{
    Board, Clint, Plic,
    csr::{cause, interrupt},
    start, trap,
};

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

/// The interrupt controller. Software cannot raise its lines.
type Controller = Plic<0x0C00_0000>;

/// The number of the hart's own software interrupt, which the controller has no line for. The kernel
/// raises it only while it is to come at once, so that it needs no masking.
const SOFTWARE: u16 = 0;

/// No line: the controller has 1,023 at most.
const NOBODY: usize = 1024;

/// `mcause` of the controller, but for bit 31.
const EXTERNAL: u16 = cause::EXTERNAL as u16;

/// This board.
struct Virt;

impl Board for Virt {
    #[inline]
    fn now() -> u64 {
        // SAFETY: the board's CLINT, which nobody else uses.
        unsafe { Clock::now() }
    }

    const TICK: u32 = Clock::TICK;

    #[inline(always)]
    fn ticks() -> u32 {
        // SAFETY: the board's CLINT, which nobody else uses.
        unsafe { Clock::low() }
    }

    #[inline]
    fn set_alarm(at: u64) {
        // SAFETY: the board's CLINT, which nobody else uses.
        unsafe { Clock::set_alarm(at) }
    }

    const SOURCES: u32 = interrupt::EXTERNAL | interrupt::SOFTWARE;

    fn prepare(lines: &[u16]) {
        for line in lines.iter().filter(|line| **line != SOFTWARE) {
            // SAFETY: the board's PLIC, which nobody else uses.
            unsafe { Controller::prepare(*line) }
        }
    }

    fn take(cause: u32) -> usize {
        if cause as u16 == EXTERNAL {
            // SAFETY: the board's PLIC, which nobody else uses.
            let line = unsafe { Controller::claim() };
            // Its 0 is nobody, and not the software interrupt.
            return if line == 0 { NOBODY } else { line as usize };
        }
        // SAFETY: the board's CLINT, which nobody else uses.
        unsafe { Clock::set_software(false) };
        SOFTWARE.into()
    }

    fn mask(line: u16) {
        if line != SOFTWARE {
            // SAFETY: the board's PLIC, which nobody else uses.
            unsafe { Controller::mask(line) }
        }
    }

    fn unmask(line: u16) {
        if line != SOFTWARE {
            // SAFETY: the board's PLIC, which nobody else uses.
            unsafe { Controller::unmask(line) }
        }
    }

    fn pend(line: u16) -> bool {
        if line == SOFTWARE {
            // SAFETY: the board's CLINT, which nobody else uses.
            unsafe { Clock::set_software(true) };
        }
        line == SOFTWARE
    }

    fn reset() -> ! {
        exit::reset()
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
    unsafe { start::<Virt>(entry, &config::NUMBERS) }
}

#[unsafe(no_mangle)]
extern "C" fn riposte_kernel_fault() -> ! {
    exit::fail("riposte: the kernel itself has faulted\n")
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit::fail("riposte: the kernel has panicked\n")
}
