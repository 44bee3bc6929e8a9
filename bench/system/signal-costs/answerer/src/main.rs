//! Sends each signal back, from its handler.
#![no_std]

use riposte::signal::{self, Set, Signal, Target};
use riposte::sync::OnceCell;

/// Looked up once: that takes longer than to send.
static ASKER: OnceCell<Target> = OnceCell::new();

fn answer(signal: Signal, _: u32) {
    if let Some(asker) = ASKER.get() {
        let _ = asker.send(signal, 0);
    }
}

#[riposte::main]
fn main() {
    let _ = ASKER.set(signal::target("asker").unwrap());
    // SAFETY: it uses no value of a thread.
    unsafe { signal::handle(Signal::USER_1, answer).unwrap() };
    loop {
        let _ = signal::suspend(Set::NONE);
    }
}
