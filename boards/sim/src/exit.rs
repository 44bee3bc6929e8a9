//! The end of a run: a store to the board's EXIT register stops the simulator with that code, one to RESET resets
//! the board.

const EXIT: *mut u32 = 0xF000_1000 as *mut u32;
const RESET: *mut u32 = 0xF000_1008 as *mut u32;
const CONSOLE: *mut u32 = 0xF000_0000 as *mut u32;

/// Exit code of a run that the kernel itself has spoilt.
const FAILED: u32 = 101;

/// Ends the run with this code. The host finds it by its name, to look at the board a last time.
#[unsafe(export_name = "riposte_exit")]
#[inline(never)]
pub fn exit(code: u32) -> ! {
    end(EXIT, code)
}

/// Resets the board.
pub fn reset() -> ! {
    end(RESET, 1)
}

fn end(register: *mut u32, word: u32) -> ! {
    // SAFETY: a register of the device that only this module uses.
    unsafe { register.write_volatile(word) };
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
