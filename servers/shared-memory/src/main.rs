//! The shared memory server: named objects of memory that processes make at run time, and share. `README.md` beside it says
//! how it is used.
//!
//! What a name leads to is a handle of a region; who asks for the name gets one of its own, which it cannot hand on.
#![no_std]

mod makers;
mod server;

use riposte::sync::Mutex;
use riposte::{Answer, Event};
use riposte_shared_memory::protocol::{NAME, REQUEST};
use server::Server;

/// The objects: too much for the stack.
static SERVER: Mutex<Server> = Mutex::new(Server::new());

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let Ok(mut server) = SERVER.lock() else {
        panic!("another thread has the objects");
    };
    server.configure();
    let error = channel.serve(&mut [0; REQUEST + NAME], |event| match event {
        Event::Message(message) => server.serve(message),
        Event::Notice(_) => Answer::later(),
    });
    panic!("the shared memory's channel: {error}");
}
