//! Sends 64 bytes that say that they are a copy of 32 bytes of moved memory, twice. The forwarder is to answer both. Then gives it
//! memory for servers that die.
#![no_std]

use check::holds;
use riposte::{Connection, Error, Pages};

/// The forwarder's servers.
const SINK: u32 = 0;
const DEAF: u32 = 1;
const MUTE: u32 = 2;

const DIED: u32 = Error::ServerDied as u32;

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
    let came_back = [0x5A, 0x5B].map(|byte| given(&forwarder, DEAF, byte));
    holds(
        "a thread among several has memory again that a server that died had not received, and its window after it",
        came_back == [0x5A_u32, 0x5B].map(|byte| Some([DIED, byte])),
    );
    let gone = [0x5C, 0x5D].map(|byte| given(&forwarder, MUTE, byte));
    holds(
        "what a server that died had received is gone, and the window is free",
        gone == [Some([DIED, 0]); 2] && given(&forwarder, SINK, 0x5E) == Some([0, 0]),
    );
    check::done();
}

/// Gives the forwarder memory for that server. What it says, if the memory was moved.
fn given(forwarder: &Connection, server: u32, byte: u8) -> Option<[u32; 2]> {
    let mut pages = Pages::allocate(Pages::LEAST)?;
    pages.fill(byte);
    let reply = forwarder.give(pages, [server, 0, 0]).ok()?;
    let [error, first, ..] = reply.words;
    reply.copied.is_none().then_some([error, first])
}
