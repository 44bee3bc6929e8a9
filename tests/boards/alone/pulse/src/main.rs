//! Interrupts whoever is less urgent, at every instruction in the end.
#![no_std]

use riposte::Duration;

#[riposte::main]
fn main() {
    // The periods of those it interrupts are other ones.
    for nanoseconds in (10_007..20_000).step_by(13).cycle() {
        riposte::sleep(Duration::from_nanos(nanoseconds)).unwrap();
    }
}
