//! Attacks with the floating-point unit in another way each time it is started: the judge says in
//! which.
#![no_std]

mod attack;

/// An attack that brings nothing ends the process, which is another end than was expected.
#[riposte::main]
fn main() {
    let judge = riposte::connect("orders").unwrap();
    let [attack, address, ..] = judge.send_words([]).unwrap().words;
    attack::perform(attack, address);
    riposte::exit(1);
}

/// Waits for its part. Its stack, of a guard of 32 bytes and 1 KiB, begins behind the main thread's of 2 KiB.
#[riposte::thread]
fn accomplice() -> ! {
    let here = core::hint::black_box(0_u32);
    let base = ((&raw const here).addr() as u32 - 32) & !0x3FF;
    loop {
        attack::take_part(base);
        riposte::yield_now();
    }
}
