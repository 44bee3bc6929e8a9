//! How a process starts, and how it ends in a panic.

use core::arch::naked_asm;
use core::fmt::Write;
use core::panic::PanicInfo;

use riposte_abi::call::number;
use riposte_abi::register;

use super::Range;
use crate::line::Line;

unsafe extern "C" {
    /// The program's `main`, exported by `#[riposte::main]`.
    safe fn riposte_main();
}

/// Where the kernel starts the main thread: r0 holds the address of the process-info table.
///
/// # Safety
/// For the kernel alone, once per start of the process, before any other thread of it runs: it
/// gives `.data` and `.bss` their first values.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn _riposte_start(info: u32) -> ! {
    // The linker script aligns the symbols to words, and nothing of .data or .bss is used yet.
    naked_asm!(
        "movw r1, #:lower16:__data_start",
        "movt r1, #:upper16:__data_start",
        "movw r2, #:lower16:__data_end",
        "movt r2, #:upper16:__data_end",
        "movw r3, #:lower16:__data_load",
        "movt r3, #:upper16:__data_load",
        "b 2f",
        "1: ldr r4, [r3], #4",
        "str r4, [r1], #4",
        "2: cmp r1, r2",
        "blo 1b",
        "movw r1, #:lower16:__bss_start",
        "movt r1, #:upper16:__bss_start",
        "movw r2, #:lower16:__bss_end",
        "movt r2, #:upper16:__bss_end",
        "movs r3, #0",
        "b 4f",
        "3: str r3, [r1], #4",
        "4: cmp r1, r2",
        "blo 3b",
        // A backtrace ends here.
        "movs r7, #0",
        "mov lr, #-1",
        "b {enter}",
        enter = sym enter,
    )
}

/// The start in Rust: the other threads, the program, and its end.
extern "C" fn enter(info: u32) -> ! {
    super::process::set_info(info);
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number::START_THREADS;
    super::call(registers, [0; 5]);
    riposte_main();
    crate::exit(0)
}

/// Tells the kernel why, which stops the process and keeps the text in its fault record.
#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let mut line = Line::<{ riposte_abi::fault::TEXT_BYTES }>::new();
    // A full line is no failure.
    if let Some(place) = info.location() {
        let _ = write!(line, "{}:{}: ", place.file(), place.line());
    }
    let _ = write!(line, "{}", info.message());
    let text = Range::of(line.bytes());
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number::PANIC;
    registers[register::WORD0] = text.address;
    registers[register::WORD1] = text.length;
    loop {
        super::call(registers, [0; 5]);
    }
}
