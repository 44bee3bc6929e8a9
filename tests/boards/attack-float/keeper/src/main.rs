//! Keeps numbers in its floating-point registers while it serves somebody who leaves: it is
//! preempted, loses its priority, and gets the processor back from one that yields.
#![no_std]

use core::arch::asm;

use riposte::Event;

/// Turns of a loop between putting in and looking: some milliseconds.
const PAUSE: u32 = 4_000_000;

#[riposte::main]
fn main() {
    let results = riposte::connect("results").unwrap();
    let channel = riposte::channel("keeper").unwrap();
    loop {
        if let Ok(Event::Message(message)) = channel.receive_words() {
            let numbers: [u32; 32] = core::array::from_fn(|at| 0x4B00_0000 | at as u32);
            let found = keep(&numbers);
            let kept = found
                .iter()
                .zip(numbers)
                .filter(|(found, number)| *found == number);
            let kept = kept.count() as u32;
            // The client has left.
            let left = message.reply_words([]).is_err();
            results.send_words([kept, u32::from(left)]).unwrap();
        }
    }
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
