//! Attacks in another way each time it is started: the judge says in which.
#![no_std]

mod attack;
mod stack;

/// An attack that brings nothing ends the process, which is another end than was expected.
#[riposte::main]
fn main() {
    let judge = riposte::connect("orders").unwrap();
    let [attack, address, ..] = judge.send_words([]).unwrap().words;
    attack::perform(attack, address);
    riposte::exit(1);
}

/// Waits until it is told to overflow its stack.
#[riposte::thread]
fn accomplice() -> ! {
    loop {
        if attack::accomplice_is_to_overflow() {
            stack::overflow(1);
        }
        riposte::yield_now();
    }
}
