//! Says that it lives, and hangs.
#![no_std]

/// Who it is.
const HUNG: u32 = 1;

#[riposte::main]
fn main() {
    let lives = riposte::connect("lives").unwrap();
    lives.send_words([HUNG]).unwrap();
    loop {
        core::hint::spin_loop();
    }
}
