//! Threads of several priorities that share words, locks and queues, and the judge of what comes of
//! it. The judge opens one phase after the other; each thread knows what it does in which.
#![no_std]

mod phase;
mod words;

#[riposte::main]
fn main() {
    words::judge();
    check::done();
}

/// The least urgent thread.
#[riposte::thread]
fn low() -> ! {
    words::low();
    phase::rest()
}

/// More urgent than `low`, and less than the judge.
#[riposte::thread]
fn middle() -> ! {
    phase::rest()
}
