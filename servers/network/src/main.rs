//! The network server: IP by the crate `smoltcp`, over a driver, and the sockets of its clients. `README.md` beside it says
//! how it is used.
#![no_std]
#![forbid(unsafe_code)]

mod request;
mod server;
mod settings;
mod stack;
mod wire;

use network_store::{Memory, Places};
use riposte::sync::Mutex;
use server::Server;

/// What of a request is received: what is longer stays with the client until there is a place for it.
const BUFFER: usize = 32;

/// What the sockets keep: too much for the stack.
static MEMORY: Mutex<Memory> = Mutex::new(Memory::new());

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let Ok(mut memory) = MEMORY.lock() else {
        panic!("another thread has the sockets");
    };
    let mut places = Places::new();
    let mut server = Server::new(&mut memory, &mut places);
    let mut buffer = [0; BUFFER];
    loop {
        let deadline = server.turn();
        match channel.receive_until(&mut buffer, deadline) {
            Ok(event) => server.hear(event),
            Err(riposte::Error::TimedOut | riposte::Error::WouldBlock) => {}
            Err(error) => panic!("the network's channel: {error}"),
        }
    }
}
