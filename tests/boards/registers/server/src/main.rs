//! Fills its registers with secrets and answers with nothing; then says what its own registers
//! held when it received.
#![no_std]

use core::arch::asm;

use riposte::abi::{call, info};

/// What must not be seen elsewhere.
const SECRET: u32 = 0x5EC2_E75E;

#[riposte::main]
fn main() {
    let channel = riposte::channel("secrets").unwrap().handle();
    let mut registers = exchange([call::word(call::operation::RECEIVE, channel), 0, 0, 0]);
    loop {
        // All that was received but the badge and the token, for which there is nothing to hide.
        let [_, word0, tag, generation, rest @ ..] = registers;
        let strange = rest.iter().chain([&word0]).any(|word| *word != 0);
        let length = tag & info::LENGTH_MASK;
        let word = call::word(call::operation::REPLY_RECEIVE, channel);
        // One word only if something is wrong.
        let answer = if strange || length != 0 { 4 } else { 0 };
        registers = exchange([word, tag & info::TAG_MASK | answer, generation, answer]);
    }
}

/// A call with secrets in every register that is no part of it: word, info, generation and the
/// first message word in, the message registers out.
fn exchange([word, info, generation, word0]: [u32; 4]) -> [u32; 8] {
    let mut out = [word, word0, info, generation, 0, 0, 0, 0];
    // SAFETY: no memory is named; all registers are listed, or saved by hand.
    unsafe {
        asm!(
            "push {{r6, r7, lr}}",
            "push {{r0}}",
            "ldm r0, {{r4, r5, r6, r7, r8, r9, r10, r11}}",
            "mov r0, r1",
            "mov r12, r1",
            "mov r2, r1",
            "movs r3, #0",
            "mov lr, r1",
            "svc 0",
            "pop {{r0}}",
            "stm r0, {{r4, r5, r6, r7, r8, r9, r10, r11}}",
            "pop {{r6, r7, lr}}",
            inout("r0") out.as_mut_ptr() => _,
            inout("r1") SECRET => _,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _,
            out("r10") _, out("r11") _, out("r12") _,
        );
    }
    out
}
