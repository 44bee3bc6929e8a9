//! Threads of three priorities that share words, locks and queues, and the judge of what comes of it.
//! The judge is the most urgent one. It opens one phase after the other; each thread knows what it
//! does in which.
#![no_std]

mod across;
mod holding;
mod late;
mod meeting;
mod passing;
mod phase;
mod words;

#[riposte::main]
fn main() {
    words::judge();
    holding::judge();
    late::judge();
    passing::judge();
    meeting::judge();
    across::judge();
    check::done();
}

/// The least urgent thread.
#[riposte::thread]
fn low() -> ! {
    words::low();
    holding::low();
    late::low();
    passing::sender(1);
    meeting::low();
    phase::rest()
}

/// More urgent than `low`, and less than the judge.
#[riposte::thread]
fn middle() -> ! {
    holding::middle();
    passing::sender(2);
    meeting::middle();
    across::middle();
    phase::rest()
}
