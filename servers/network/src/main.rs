//! The network server: IP by the crate `smoltcp`, over a driver, and the sockets of its clients. `README.md` beside it says
//! how it is used.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "ipv6")]
mod ipv6;
#[cfg(not(feature = "ipv6"))]
#[path = "ipv6_absent.rs"]
mod ipv6;
mod request;
mod server;
mod settings;
mod stack;
mod wire;

use network_store::{Memory, Places, Queries, Searches};
use riposte::Buffer;
use riposte::sync::Mutex;
use server::Server;
use stack::Stack;

/// What of a request is received: what is longer is read from its client once there is a place for it.
const BUFFER: usize = 256;

/// What the sockets keep: too much for the stack.
static MEMORY: Mutex<Memory> = Mutex::new(Memory::new());
/// What is noted of questions for names.
static QUERIES: Mutex<Queries> = Mutex::new(Queries::new());
/// Searches for neighbours.
static SEARCHES: Mutex<Searches> = Mutex::new(Searches::new());

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let (Ok(mut memory), Ok(mut queries), Ok(mut searches)) =
        (MEMORY.lock(), QUERIES.lock(), SEARCHES.lock())
    else {
        panic!("another thread has the sockets");
    };
    let all = settings::check();
    let seed = settings::seed();
    let mut stack = Stack::new(seed);
    stack.begin();
    let mut places = Places::new();
    let mut server = Server::new(
        &mut memory,
        &mut queries,
        &mut searches,
        &mut places,
        &mut stack,
        all,
        seed,
    );
    let mut buffer = Buffer::<BUFFER>::new();
    loop {
        let deadline = server.turn();
        match channel.receive_until(&mut buffer, deadline) {
            Ok(event) => server.hear(event),
            Err(riposte::Error::TimedOut | riposte::Error::WouldBlock) => server.is_due(),
            Err(error) => panic!("the network's channel: {error}"),
        }
    }
}
