//! The keeper takes memory that is moved on to it, and gives it up; or ends with it, or faults.

use check::memory;

use crate::lender::crew;
use crate::{SPARES, faults};

/// What comes with the memory.
pub const RELEASE: u32 = 1;
pub const EXIT: u32 = 2;
pub const FAULT: u32 = 3;

pub fn run() {
    crew(SPARES);
    let store = riposte::channel("store").unwrap();
    loop {
        let received = memory::receive(store).unwrap();
        if received.is_any_notice() {
            continue;
        }
        let [address, _, order, ..] = received.words();
        received.token().reply_words([0]).unwrap();
        match order {
            RELEASE => memory::release(address).unwrap(),
            FAULT => faults::touch_the_kernel(),
            _ => return,
        }
    }
}
