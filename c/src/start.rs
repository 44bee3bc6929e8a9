//! How a C program starts and ends.

use core::ffi::c_int;

type Constructor = unsafe extern "C" fn();

unsafe extern "C" {
    /// The program's.
    fn main() -> c_int;
    /// The C library's: what atexit() was told, then `_exit`.
    fn exit(status: c_int) -> !;
    /// The linker script's: constructors, from the first to the end.
    safe static __init_array_start: [Constructor; 0];
    safe static __init_array_end: [Constructor; 0];
}

/// By now the memory is set up, and the other threads are ready.
#[riposte::main]
fn start() {
    construct();
    // SAFETY: a C program has a main function of this type, which is called once for each start, and
    // nothing of it runs after its end.
    unsafe { exit(main()) }
}

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
