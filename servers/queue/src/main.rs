//! The queue server: named bounded queues between processes that share no memory. `README.md` beside
//! it says how it is used.
//!
//! It never waits for a client. One that has to wait is kept by its reply token, and its message stays
//! with it until there is room: a client that leaves or dies takes its message along.
#![no_std]

mod client;
mod makers;
mod server;

use riposte::Event;
use riposte_queue::protocol::{LARGEST, REQUEST};
use server::Server;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut server = Server::new();
    server.configure();
    let error = channel.serve(&mut [0; REQUEST + LARGEST], |event| match event {
        Event::Message(message) => server.serve(message),
        Event::Notice(notice) => server.hear(&notice),
    });
    panic!("the queues' channel: {error}");
}
