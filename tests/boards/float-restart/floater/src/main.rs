//! Computes from a moment on, until its slice is over: by then the end of the process with which it is restarted is
//! done, and it begins anew.
#![no_std]

use core::arch::asm;

use riposte::{Duration, Instant};

const MOMENT: Instant = Instant::from_nanos(20_000_000);

#[riposte::main]
fn main() {
    if Instant::now() < MOMENT {
        let _ = riposte::sleep_until(MOMENT);
        // SAFETY: the registers are listed.
        unsafe {
            asm!(
                "vmov s0, {0}",
                "2: vmov {0}, s0",
                "b 2b",
                inout(reg) 1 => _,
                out("s0") _,
            );
        }
    }
    let _ = riposte::sleep(Duration::from_millis(100_000));
}
