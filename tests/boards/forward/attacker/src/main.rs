//! Sends 64 bytes that say that they are a copy of 32 bytes of moved memory, twice. The forwarder is to answer both.
#![no_std]

use check::holds;

#[riposte::main]
fn main() {
    let forwarder = riposte::connect("forwarder").unwrap();
    let mut copy = [0x55; 64];
    copy[..32].fill(0);
    copy[..4].copy_from_slice(&0x0344_4E4C_u32.to_le_bytes());
    copy[4..8].copy_from_slice(&32_u32.to_le_bytes());
    let answers = [0; 2].map(|_| forwarder.send(&copy, &mut []).is_ok());
    holds(
        "10 no client stops a server that gives on what it is given",
        answers == [true; 2],
    );
    check::done();
}
