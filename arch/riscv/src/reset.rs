//! What the processor runs first, and what it runs when there is nothing to do.

use core::arch::naked_asm;

unsafe extern "C" {
    /// The board's own beginning: its kernel's data are in place. It does not return.
    fn riposte_board_main() -> !;
}

/// Initialises the kernel's data, then the rest is Rust.
#[unsafe(naked)]
#[unsafe(link_section = ".reset")]
#[unsafe(no_mangle)]
unsafe extern "C" fn reset() {
    naked_asm!(
        "la    sp, __kernel_stack_top",
        riposte_abi::place_data_riscv!(),
        "j     {main}",
        main = sym riposte_board_main,
    )
}

/// What runs when no thread is ready. It has a place of its own (see `kernel.ld.in`). Where there is a supervisor
/// mode, user mode may not wait for interrupts: the kernel does it instead ([`crate::trap`]).
#[unsafe(naked)]
#[unsafe(link_section = ".idle")]
#[unsafe(no_mangle)]
unsafe extern "C" fn riposte_idle() -> ! {
    naked_asm!("1:", "wfi", "j 1b")
}

#[used]
static IDLE: unsafe extern "C" fn() -> ! = riposte_idle;
