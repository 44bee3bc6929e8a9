//! Says that it lives, and panics.
#![no_std]

/// Who it is.
const CRASHER: u32 = 2;

#[riposte::main]
fn main() {
    let lives = riposte::connect("lives").unwrap();
    lives.send_words([CRASHER]).unwrap();
    panic!("again");
}
