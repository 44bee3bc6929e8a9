//! The names server: who serves what, by paths. `README.md` beside it says how it is used.
//!
//! What a name leads to is a connection that the manifest gives this process: the kernel knows at every instant whether
//! that is of the life in which its owner registered, and so does whoever is handed it.
#![no_std]

mod provider;
mod server;
mod waiting;

use riposte::Event;
use riposte::sync::Mutex;
use riposte_names::protocol::{LONGEST_PATH, REQUEST};
use server::Server;

/// The names: too much for the stack.
static SERVER: Mutex<Server> = Mutex::new(Server::new());

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let Ok(mut server) = SERVER.lock() else {
        panic!("another thread has the names");
    };
    server.configure();
    let error = channel.serve(&mut [0; REQUEST + LONGEST_PATH], |event| match event {
        Event::Message(message) => server.serve(message),
        Event::Notice(notice) => server.hear(&notice),
    });
    panic!("the names' channel: {error}");
}
