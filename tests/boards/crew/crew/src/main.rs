//! The largest processes: each has 65 threads. What a call has to do for each thread of a process, for each receiver
//! of a channel, for each part of a message, or for each that waits at a word is brought about here. Each promise
//! holds here too; how long an interrupt waits meanwhile is measured from outside (`tests/bounds.toml`).
#![no_std]

mod driver;
mod faults;
mod keeper;
mod lender;
mod memory;
mod messages;
mod pools;
mod regions;
mod rooms;
mod words;

/// Spare threads of each process.
const SPARES: usize = 64;

#[riposte::main]
fn main() {
    match riposte::process_name() {
        "driver" => driver::run(),
        "lender" => lender::run(),
        _ => keeper::run(),
    }
}
