//! How a process starts, once its memory is set up, and how it ends in a panic.

use core::panic::PanicInfo;

use riposte_abi::call::number;
use riposte_abi::register;

use super::Range;
use super::panic::Text;

unsafe extern "C" {
    /// The program's `main`, exported by `#[riposte::main]`.
    safe fn riposte_main();
    /// The linker script's: what is to run before all else, from the first to the end. Only programs in C and C++
    /// have such constructors.
    safe static __init_array_start: [Constructor; 0];
    safe static __init_array_end: [Constructor; 0];
}

type Constructor = unsafe extern "C" fn();

/// Runs the functions that are marked as constructors.
fn construct() {
    let mut next = __init_array_start.as_ptr();
    // The compiler may think that what has two names has two places.
    let end = core::hint::black_box(__init_array_end.as_ptr());
    while next != end {
        // SAFETY: the linker puts an aligned array of such functions between the two symbols.
        unsafe {
            (*next)();
            next = next.add(1);
        }
    }
}

/// The start: constructors, the other threads, which find all constructed, the program, and its end.
pub(super) extern "C" fn enter(info: u32, _: u32, id: u32) -> ! {
    super::process::set_info(info);
    // SAFETY: the kernel starts the main thread here, which is the first one.
    unsafe { super::begin_thread(0, id) };
    construct();
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number::START_THREADS;
    super::call(registers, [0; 5]);
    riposte_main();
    crate::exit(0)
}

/// Where a thread begins that the program starts: with `argument`, for the function at address `body`.
///
/// # Safety
/// The kernel enters here, with what it hands a thread.
pub unsafe extern "C" fn start_thread(argument: usize, index: usize, id: u32, body: usize) -> ! {
    // SAFETY: the kernel has started the thread here, with these.
    unsafe { super::begin_thread(index, id) };
    // SAFETY: `crate::thread` starts a thread here with the address of such a function, and the kernel
    // hands it on as it is.
    let body = unsafe { core::mem::transmute::<usize, fn(usize) -> u32>(body) };
    // SAFETY: the thread's function has returned, and with it whatever lived on its stack.
    unsafe { crate::thread::exit(body(argument)) }
}

/// Tells the kernel why, which stops the process and keeps the text in its fault record.
#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let mut text = Text::new();
    text.fill(info.location(), info.message());
    let text = Range::of(text.bytes());
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number::PANIC;
    registers[register::WORD0] = text.address;
    registers[register::WORD1] = text.length;
    loop {
        super::call(registers, [0; 5]);
    }
}
