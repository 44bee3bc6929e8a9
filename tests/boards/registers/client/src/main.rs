//! Looks for what others left in the registers.
#![no_std]

use core::arch::asm;

use check::{equal, holds};
use riposte::abi::call;

/// What is in the registers that a call leaves alone.
const OWN: [u32; 6] = [
    0x1111_1111,
    0x2222_2222,
    0x3333_3333,
    0,
    0x5555_5555,
    0x6666_6666,
];

#[riposte::main]
fn main() {
    let server = riposte::connect("secrets").unwrap().handle();
    for (kept, clean, word) in [
        (
            "a round trip leaves the extra registers alone",
            "a round trip brings nothing but the message",
            call::word(call::operation::SEND, server),
        ),
        (
            "the empty call leaves the extra registers alone",
            "the empty call brings nothing",
            call::number::NULL,
        ),
        (
            "a yield leaves the extra registers alone",
            "a yield brings nothing",
            call::number::YIELD,
        ),
        (
            "a bad call leaves the extra registers alone",
            "a bad call brings its error",
            0xEE,
        ),
    ] {
        let (message, own) = exchange(word);
        equal(kept, own, OWN);
        // A status or an error, and an accepted length, are no secrets: both are small.
        let [status, word0, info, accepted, rest @ ..] = message;
        let nothing = rest.iter().chain([&word0]).all(|word| *word == 0);
        holds(
            clean,
            nothing && status < 256 && info < 256 && accepted < 256,
        );
    }
    check::done();
}

/// A call without words: the message registers and r0 to r3, r12 and lr afterwards.
fn exchange(word: u32) -> ([u32; 8], [u32; 6]) {
    let mut message = [word, 0, 0, 0, 0, 0, 0, 0];
    let mut own = OWN;
    // SAFETY: no memory is named; all registers are listed, or saved by hand.
    unsafe {
        asm!(
            "push {{r6, r7, lr}}",
            "push {{r0, r1}}",
            "mov r12, r1",
            "ldm r0, {{r4, r5, r6, r7, r8, r9, r10, r11}}",
            "ldr lr, [r12, #20]",
            "ldr r0, [r12, #0]",
            "ldr r1, [r12, #4]",
            "ldr r2, [r12, #8]",
            "ldr r3, [r12, #12]",
            "ldr r12, [r12, #16]",
            "svc 0",
            "push {{r0, r1, r2, r3, r12, lr}}",
            "ldr r0, [sp, #24]",
            "stm r0, {{r4, r5, r6, r7, r8, r9, r10, r11}}",
            "ldr r0, [sp, #28]",
            "pop {{r4, r5}}",
            "str r4, [r0]",
            "str r5, [r0, #4]",
            "pop {{r4, r5, r8, r9}}",
            "str r4, [r0, #8]",
            "str r5, [r0, #12]",
            "str r8, [r0, #16]",
            "str r9, [r0, #20]",
            "pop {{r0, r1}}",
            "pop {{r6, r7, lr}}",
            inout("r0") message.as_mut_ptr() => _,
            inout("r1") own.as_mut_ptr() => _,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _,
            out("r10") _, out("r11") _, out("r12") _,
        );
    }
    (message, own)
}
