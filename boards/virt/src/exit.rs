//! The end of a run: SiFive's test device stops the emulator with an exit code, or resets the board.

const FINISH: *mut u32 = 0x0010_0000 as *mut u32;
const PASS: u32 = 0x5555;
const FAIL: u32 = 0x3333;
const RESET: u32 = 0x7777;

const TRANSMIT: *mut u8 = 0x1000_0000 as *mut u8;
const LINE_STATUS: *const u8 = 0x1000_0005 as *const u8;
const TRANSMITTER_EMPTY: u8 = 1 << 5;

/// Exit code of a run that the kernel itself has spoilt.
const FAILED: u32 = 101;

/// Ends the run with this code. The host finds it by its name, to look at the board a last time.
#[unsafe(export_name = "riposte_exit")]
#[inline(never)]
pub fn exit(code: u32) -> ! {
    finish(if code == 0 { PASS } else { FAIL | code << 16 })
}

/// Resets the board.
pub fn reset() -> ! {
    finish(RESET)
}

fn finish(word: u32) -> ! {
    // SAFETY: the device's one register, which only this module uses.
    unsafe { FINISH.write_volatile(word) };
    loop {
        core::hint::spin_loop();
    }
}

/// Ends the run because the kernel failed.
pub fn fail(why: &str) -> ! {
    for byte in why.bytes() {
        // SAFETY: the serial port's registers. Whoever owns it never runs again.
        unsafe {
            while LINE_STATUS.read_volatile() & TRANSMITTER_EMPTY == 0 {}
            TRANSMIT.write_volatile(byte);
        }
    }
    exit(FAILED)
}
