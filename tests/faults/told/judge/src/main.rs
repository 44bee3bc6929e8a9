//! Ends the run when the mortal has died often enough. The host hears whether its faults were told.
#![no_std]

#[riposte::main]
fn main() {
    let _ = riposte::sleep(riposte::Duration::from_millis(100));
    check::done();
}
