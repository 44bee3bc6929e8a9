//! The end of a run, by semihosting: the emulator's exit code, and the kernel's last words.

use core::arch::asm;

const WRITE0: u32 = 0x04;
const EXIT_EXTENDED: u32 = 0x20;
const APPLICATION_EXIT: u32 = 0x20026;

/// Exit code of a run that the kernel itself has spoilt.
const FAILED: u32 = 101;

fn semihosting(operation: u32, argument: *const ()) {
    // SAFETY: the debugger or emulator reads what `argument` points to, and returns.
    unsafe { asm!("bkpt #0xAB", inout("r0") operation => _, in("r1") argument) };
}

/// Ends the run with this code. The host finds it by its name, to look at the board a last time.
#[unsafe(export_name = "riposte_exit")]
#[inline(never)]
pub fn exit(code: u32) -> ! {
    let block = [APPLICATION_EXIT, code];
    semihosting(EXIT_EXTENDED, block.as_ptr().cast());
    loop {
        // SAFETY: waits for ever; there was nobody to end the run.
        unsafe { asm!("wfi") };
    }
}

/// Ends the run because the kernel failed.
pub fn fail(why: &'static str) -> ! {
    let mut text = [0; 64];
    // Nothing here may fail: then it would be called again. The last byte stays 0.
    let [room @ .., _] = &mut text;
    room.iter_mut()
        .zip(why.bytes())
        .for_each(|(to, byte)| *to = byte);
    semihosting(WRITE0, text.as_ptr().cast());
    exit(FAILED)
}
