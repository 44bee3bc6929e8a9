//! Interrupts all others, over and over, with its registers full of secrets.
#![no_std]

use check::attack::SECRET;
use check::machine;
use riposte::abi::{call, register};

/// Nanoseconds between two alarms.
const PERIOD: u64 = 200_000;

#[riposte::main]
fn main() {
    let mut others = machine::filling(SECRET);
    let mut sleep = [0; register::COUNT];
    sleep[register::CALL] = call::number::SLEEP;
    loop {
        machine::set_deadline(&mut others, riposte::Instant::now().as_nanos() + PERIOD);
        let _ = machine::exchange(sleep, others);
    }
}
