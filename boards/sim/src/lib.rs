//! Riposte on the cycle-accurate boards, whose devices are those of `sim/`.
//!
//! The kernel's image for one application: the objects come from the configuration that the image
//! builder generates (`RIPOSTE_CONFIG`).
#![no_std]

mod exit;

use riposte_riscv::{Board, Clint, Plic, csr::interrupt, start, trap};

/// The application's processes, threads, channels and handles.
#[allow(missing_docs)]
mod config {
    #[cfg(configured)]
    include!(env!("RIPOSTE_CONFIG"));
    #[cfg(not(configured))]
    compile_error!("build an application with ./riposte: its configuration is generated");
}

/// The machine timer: a tick a cycle, of a clock that counts as 100 MHz.
type Clock = Clint<0xF200_0000, 10>;

/// The interrupt controller.
type Controller = Plic<0xFC00_0000>;

/// Raises the lines whose bits are written.
const RAISE: *mut u32 = 0xF000_4000 as *mut u32;

/// This board.
struct Simulated;

impl Board for Simulated {
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

    const SOURCES: u32 = interrupt::EXTERNAL;

    fn prepare(lines: &[u16]) {
        for line in lines {
            // SAFETY: the board's PLIC, which nobody else uses.
            unsafe { Controller::prepare(*line) }
        }
    }

    #[inline(always)]
    fn take(_: u32) -> usize {
        // SAFETY: the board's PLIC, which nobody else uses.
        let line = unsafe { Controller::claim() };
        usize::from(line as u16)
    }

    fn mask(line: u16) {
        // SAFETY: the board's PLIC, which nobody else uses.
        unsafe { Controller::mask(line) }
    }

    #[inline(always)]
    fn unmask(line: u16) {
        // SAFETY: the board's PLIC, which nobody else uses.
        unsafe { Controller::unmask(line) }
    }

    #[inline(always)]
    fn pend(line: u16) -> bool {
        // SAFETY: a register that raises lines and does nothing else.
        unsafe { RAISE.write_volatile(1 << (line & 31)) }
        true
    }

    fn reset() -> ! {
        exit::reset()
    }

    fn shutdown(code: u32) -> ! {
        exit::exit(code)
    }
}

riposte_riscv::traps!(config::KERNEL, Simulated, config::FLOOR);

#[unsafe(no_mangle)]
extern "C" fn riposte_board_main() -> ! {
    Simulated::set_alarm(u64::MAX);
    let entry = if config::FLOOR {
        trap::floor
    } else {
        trap::entry
    };
    // SAFETY: called once, by the reset code; the data are in place and the clock runs.
    unsafe { start::<Simulated>(entry, &config::NUMBERS) }
}

#[unsafe(no_mangle)]
extern "C" fn riposte_kernel_fault() -> ! {
    exit::fail("riposte: the kernel itself has faulted\n")
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit::fail("riposte: the kernel has panicked\n")
}
