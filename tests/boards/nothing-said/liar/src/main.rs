//! Answers as no server does: with nothing where there should be something, with a list that does not go on, and that it
//! has taken none of what was written.
#![no_std]

use riposte::{Answer, Event, Message};

/// Whom a client takes this for, by the lowest bits of the badge.
mod server {
    pub const FILES: u32 = 1;
    pub const NETWORK: u32 = 2;
    pub const NAMES: u32 = 3;
    pub const PROCESS: u32 = 4;
    pub const PIPES: u32 = 7;
}

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let error = channel.serve(&mut [0; 64], |event| match event {
        Event::Message(message) => lie(message),
        Event::Notice(_) => Answer::later(),
    });
    panic!("the channel: {error}");
}

fn lie(message: Message<'_>) -> Answer<'_> {
    let [word, ..] = message.words();
    match (message.badge() & 0xF, word & 0xFF) {
        (server::FILES, riposte_files::protocol::operation::OPEN) => message.answer_words([1]),
        (server::FILES, riposte_files::protocol::operation::WRITE) => message.answer_words([0]),
        (server::NETWORK, riposte_network::protocol::operation::CONNECT) => {
            message.answer_words([1])
        }
        (server::NETWORK, riposte_network::protocol::operation::CONNECTED) => {
            message.answer(&[0; 2 * riposte_network::protocol::ADDRESS])
        }
        (server::NETWORK, riposte_network::protocol::operation::WRITE) => message.answer_words([0]),
        (server::PIPES, riposte_pipe::protocol::operation::OPEN_WRITE) => message.answer_words([1]),
        (server::PIPES, riposte_pipe::protocol::operation::WRITE) => message.answer_words([0]),
        // The next one is where the first one was.
        (server::NAMES, riposte_names::protocol::operation::LIST) => message.answer_words([0, 0]),
        (
            server::PROCESS,
            riposte_process::protocol::operation::LIST
            | riposte_process::protocol::operation::PROGRAMS,
        ) => message.answer_words([0; 5]),
        _ => message.answer_words([]),
    }
}
