//! The keeper takes memory that is moved on to it, and gives it up; or ends with it.

use check::memory;

use crate::SPARES;
use crate::lender::crew;

/// What comes with the memory.
pub const RELEASE: u32 = 1;
pub const EXIT: u32 = 2;

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
            _ => return,
        }
    }
}
