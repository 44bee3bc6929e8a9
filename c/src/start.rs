//! How a C program starts and ends.

use core::ffi::c_int;

unsafe extern "C" {
    /// c/start.c: the program's main function, with its arguments.
    fn riposte_private_main() -> c_int;
    /// The C library's: what atexit() was told, then `_exit`.
    fn exit(status: c_int) -> !;
}

/// By now the memory is set up, constructors have run, and the other threads are ready.
#[riposte::main]
fn start() {
    // SAFETY: a C program has a main function of this type, which is called once for each start, and
    // nothing of it runs after its end.
    unsafe { exit(riposte_private_main()) }
}
