//! The process manager: starts programs for those who may, gives them what they are to know, and tells their parents how
//! they end. `README.md` beside it says how it is used.
//!
//! It never waits for a client. That a program has ended, the kernel tells it; how, the kernel's record says. The names of
//! children follow from how often each process has ended, which the kernel counts: so they stay what they are when the
//! manager itself begins anew.
#![no_std]

mod instance;
mod server;
mod waiting;

use instance::Given;
use riposte::Event;
use riposte::sync::Mutex;
use riposte_process::protocol::{BLOCK, REQUEST};
use server::Server;

/// The programs: too much for the stack.
static SERVER: Mutex<Server> = Mutex::new(Server::new());
static GIVEN: Mutex<Given> = Mutex::new(Given::new());

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let (Ok(mut server), Ok(mut given)) = (SERVER.lock(), GIVEN.lock()) else {
        panic!("another thread has the programs");
    };
    server.configure();
    let error = channel.serve(&mut [0; REQUEST + BLOCK], |event| match event {
        Event::Message(message) => server.serve(message, &mut given),
        Event::Notice(notice) => server.hear(&notice),
    });
    panic!("the process manager's channel: {error}");
}
