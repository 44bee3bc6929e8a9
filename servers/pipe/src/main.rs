//! The pipe server: streams of bytes between processes that share no memory. `README.md` beside it says how it is used.
//!
//! It never waits for a client. One that has to wait is kept by its reply token, and what it writes stays with it
//! until there is room: a client that leaves or dies takes that along.
#![no_std]

use pipe_server::{SHORT, Server};
use riposte::Event;
use riposte::sync::Mutex;
use riposte_pipe::protocol::REQUEST;

/// The pipes: too much for the stack.
static SERVER: Mutex<Server> = Mutex::new(Server::new());

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let Ok(mut server) = SERVER.lock() else {
        panic!("another thread has the pipes");
    };
    server.configure();
    let error = channel.serve(&mut [0; REQUEST + SHORT], |event| match event {
        Event::Message(message) => server.serve(message),
        Event::Notice(notice) => server.hear(&notice),
    });
    panic!("the pipes' channel: {error}");
}
