//! The end of a run: a store to the board's EXIT register stops the simulator with that code.

const EXIT: *mut u32 = 0xF000_1000 as *mut u32;
const CONSOLE: *mut u32 = 0xF000_0000 as *mut u32;

/// Exit code of a run that the kernel itself has spoilt.
const FAILED: u32 = 101;

/// Ends the run with this code.
pub fn exit(code: u32) -> ! {
    // SAFETY: the device's one register, which only this module uses.
    unsafe { EXIT.write_volatile(code) };
    loop {
        core::hint::spin_loop();
    }
}

/// Ends the run because the kernel failed.
pub fn fail(why: &str) -> ! {
    for byte in why.bytes() {
        // SAFETY: the console's register, which takes any byte at any time. Whoever owns it never
        // runs again.
        unsafe { CONSOLE.write_volatile(byte.into()) };
    }
    exit(FAILED)
}
