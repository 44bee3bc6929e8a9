//! Keeps numbers in the floating-point registers while others run.
#![no_std]

use core::arch::asm;
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering};

use riposte::Region;
use riposte::signal::{self, Mask, Set, Signal};

/// Times that the numbers are put in and looked at.
const ROUNDS: u32 = 40;
/// A way of rounding, the outcome of a comparison, and what has happened so far, which differ in the two workers.
const STATUS: u32 = 0x2040_0001;

/// Turns of a loop between putting in and looking: about a millisecond.
const PAUSE: u32 = 15_000;

/// Signals that were handled.
static HANDLED: AtomicU32 = AtomicU32::new(0);

#[riposte::main]
fn main() {
    // SAFETY: it uses registers that are restored behind it, and an atomic.
    unsafe { signal::handle(Signal::USER_1, scribble) }.unwrap();
    let results = riposte::connect("results").unwrap();
    let sign = riposte::setting("sign").unwrap();
    if sign & 1 == 1 {
        handle_in(riposte::region("aside").unwrap());
    }
    let numbers: [u32; 32] = core::array::from_fn(|at| sign << 24 | at as u32);
    let status = STATUS << (sign & 1);
    let (mut kept, mut kept_status) = (0, 0);
    for _ in 0..ROUNDS {
        let found = keep(&numbers, status);
        kept += u32::from(found.0 == numbers);
        kept_status += u32::from(found.1 == status);
    }
    // One that came now would end the call.
    let _mask = Mask::block(Set::ALL).unwrap();
    results
        .send_words([
            sign,
            u32::from(kept == ROUNDS),
            u32::from(kept_status == ROUNDS),
            HANDLED.load(Ordering::Relaxed),
        ])
        .unwrap();
    riposte::exit(0);
}

/// Signals are handled in a region, which lies below the stacks.
fn handle_in(region: Region) {
    let local = 0;
    assert!(region.address() < (&raw const local).addr() as u32);
    // SAFETY: nobody else touches the region, which has room for what `scribble` does.
    unsafe {
        let stack = slice::from_raw_parts_mut(region.address() as *mut u8, region.length());
        signal::use_stack(stack).unwrap();
    }
}

/// Handles a signal: leaves other numbers and another status in the registers, and waits until others have run.
fn scribble(_: Signal, _: u32) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
    // SAFETY: changes registers, which are listed.
    unsafe {
        asm!(
            "vmov d0, {number}, {number}",
            "vmov d7, {number}, {number}",
            "vmov d15, {number}, {number}",
            "vmsr fpscr, {number}",
            "2: subs {pause}, #1",
            "bne 2b",
            "vmsr fpscr, {zero}",
            number = in(reg) 0xF0C0_001F_u32,
            zero = in(reg) 0,
            pause = inout(reg) PAUSE / 4 => _,
            out("d0") _, out("d7") _, out("d15") _,
        );
    }
}

/// Puts the numbers into s0 to s31 and the status into FPSCR, goes on for a while, and takes them out again.
fn keep(numbers: &[u32; 32], mut status: u32) -> ([u32; 32], u32) {
    let mut found = [0; 32];
    // SAFETY: reads and writes the two arrays; the registers are listed.
    unsafe {
        asm!(
            "vldmia {numbers}!, {{s0-s31}}",
            "vmsr fpscr, {status}",
            "2: subs {pause}, #1",
            "bne 2b",
            "vmrs {status}, fpscr",
            "vmsr fpscr, {zero}",
            "vstmia {found}!, {{s0-s31}}",
            numbers = inout(reg) numbers.as_ptr() => _,
            found = inout(reg) found.as_mut_ptr() => _,
            status = inout(reg) status,
            zero = in(reg) 0,
            pause = inout(reg) PAUSE => _,
            out("d0") _, out("d1") _, out("d2") _, out("d3") _,
            out("d4") _, out("d5") _, out("d6") _, out("d7") _,
            out("d8") _, out("d9") _, out("d10") _, out("d11") _,
            out("d12") _, out("d13") _, out("d14") _, out("d15") _,
        );
    }
    (found, status)
}
