//! Keeps numbers in the floating-point registers while others run.
#![no_std]

use core::arch::asm;

/// Times that the numbers are put in and looked at.
const ROUNDS: u32 = 40;
/// Turns of a loop between putting in and looking: about a millisecond.
const PAUSE: u32 = 15_000;

#[riposte::main]
fn main() {
    let results = riposte::connect("results").unwrap();
    let sign = riposte::setting("sign").unwrap();
    let numbers: [u32; 32] = core::array::from_fn(|at| sign << 24 | at as u32);
    let mut kept = 0;
    for _ in 0..ROUNDS {
        if keep(&numbers) == numbers {
            kept += 1;
        }
    }
    results
        .send_words([sign, u32::from(kept == ROUNDS)])
        .unwrap();
    riposte::exit(0);
}

/// Puts the numbers into s0 to s31, goes on for a while, and takes them out again.
fn keep(numbers: &[u32; 32]) -> [u32; 32] {
    let mut found = [0; 32];
    // SAFETY: reads and writes the two arrays; the registers are listed.
    unsafe {
        asm!(
            "vldmia {numbers}!, {{s0-s31}}",
            "2: subs {pause}, #1",
            "bne 2b",
            "vstmia {found}!, {{s0-s31}}",
            numbers = inout(reg) numbers.as_ptr() => _,
            found = inout(reg) found.as_mut_ptr() => _,
            pause = inout(reg) PAUSE => _,
            out("d0") _, out("d1") _, out("d2") _, out("d3") _,
            out("d4") _, out("d5") _, out("d6") _, out("d7") _,
            out("d8") _, out("d9") _, out("d10") _, out("d11") _,
            out("d12") _, out("d13") _, out("d14") _, out("d15") _,
        );
    }
    found
}
