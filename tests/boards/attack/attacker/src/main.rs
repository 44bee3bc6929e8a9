//! Attacks the kernel in another way each time it is started: the judge says in which.
#![no_std]

mod attack;

/// An attack that brings nothing ends the process, which is another end than was expected.
#[riposte::main]
fn main() {
    let judge = riposte::connect("orders").unwrap();
    let [attack, address, value, ..] = judge.send_words([]).unwrap().words;
    attack::perform(attack, address, value);
    riposte::exit(1);
}

/// Waits for its part.
#[riposte::thread]
fn accomplice() -> ! {
    loop {
        attack::change_the_frame();
        riposte::yield_now();
    }
}
