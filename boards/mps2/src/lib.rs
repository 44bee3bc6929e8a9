//! Riposte on the MPS2 boards with FPGA images AN385 (Cortex-M3) and AN386 (Cortex-M4F).
//!
//! The kernel's image for one application: the objects come from the configuration that the image
//! builder generates (`RIPOSTE_CONFIG`).
#![no_std]

mod clock;
mod exit;
mod memory;

use core::arch::naked_asm;

use riposte_armv7m::{Board, Vectors, start, trap};

/// The application's processes, threads, channels and handles.
#[allow(missing_docs)]
mod config {
    #[cfg(configured)]
    include!(env!("RIPOSTE_CONFIG"));
    #[cfg(not(configured))]
    compile_error!("build an application with ./riposte: its configuration is generated");
}

/// Interrupt of the dual timer.
const CLOCK: usize = 10;

/// This board.
struct Mps2;

impl Board for Mps2 {
    const FPU: bool = config::FPU;
    const CLOCK: u32 = CLOCK as u32;

    #[inline]
    fn now() -> u64 {
        clock::now()
    }

    const TICK: u32 = clock::NANOSECONDS as u32;

    #[inline(always)]
    fn ticks() -> u32 {
        clock::low()
    }

    #[inline]
    fn set_alarm(at: u64) {
        clock::set_alarm(at);
    }

    fn shutdown(code: u32) -> ! {
        exit::exit(code)
    }
}

#[unsafe(link_section = ".vectors")]
#[used]
static VECTORS: Vectors = Vectors::new(
    reset,
    [
        if config::FLOOR {
            trap::floor
        } else {
            trap::system_call
        },
        trap::interrupt,
    ],
    CLOCK,
    &config::NUMBERS,
    unexpected,
);

/// In no kernel whose threads use no floating point.
#[unsafe(link_section = ".vectors_fpu")]
static VECTORS_FPU: Vectors = Vectors::new(
    reset,
    [
        if config::FLOOR {
            trap::floor_with_fpu
        } else {
            trap::system_call_with_fpu
        },
        trap::interrupt_with_fpu,
    ],
    CLOCK,
    &config::NUMBERS,
    unexpected,
);

riposte_armv7m::traps!(
    config::KERNEL,
    Mps2,
    VECTORS,
    VECTORS_FPU,
    config::SAVED,
    config::FLOOR
);

/// What the processor runs first: initialises the kernel's data, then the rest is Rust.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn reset() {
    naked_asm!(
        riposte_armv7m::place_data!(),
        "b     {main}",
        main = sym main,
    )
}

extern "C" fn main() -> ! {
    clock::start();
    // SAFETY: called once, by the reset handler; the data are in place and the clock runs.
    unsafe { start(&VECTORS, CLOCK, &config::NUMBERS) }
}

/// What runs when no thread is ready. It has a page of its own (see `kernel.ld.in`).
#[unsafe(naked)]
#[unsafe(link_section = ".idle")]
#[unsafe(no_mangle)]
unsafe extern "C" fn riposte_idle() -> ! {
    naked_asm!("1: wfi", "b 1b")
}

#[used]
static IDLE: unsafe extern "C" fn() -> ! = riposte_idle;

unsafe extern "C" fn unexpected() {
    exit::fail("riposte: an interrupt that nobody expects\n")
}

#[unsafe(no_mangle)]
extern "C" fn riposte_kernel_fault() -> ! {
    exit::fail("riposte: the kernel itself has faulted\n")
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit::fail("riposte: the kernel has panicked\n")
}
