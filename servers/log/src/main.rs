//! The log server: what every process has to say, by level, time and process, kept over restarts. `README.md` beside
//! it says how it is used.
//!
//! Records lie in the region `log`, which only this process has: a ring for each client. Nobody's flood takes another
//! one's records away, and whoever ends and starts again, this server too, finds them.
#![no_std]

mod printed;
mod server;

use riposte::{Answer, Event};
use riposte_log::{LONGEST, LogReaderServer, LogServer, READER};
use server::Server;

const _: () = assert!(
    LONGEST == log_store::LONGEST,
    "what is said is what is kept"
);

/// The longest request or result: a text, and less than 64 bytes of numbers.
const BUFFER: usize = LONGEST + 64;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut server = Server::open();
    let error = channel.serve(&mut [0; BUFFER], |event| match event {
        Event::Message(message) if message.badge() >= READER => {
            let reader = message.badge();
            let answer = LogReaderServer::dispatch(&mut server, message);
            server.answered(reader, answer)
        }
        Event::Message(message) => {
            server.serves(message.badge());
            LogServer::dispatch(&mut server, message)
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the log's channel: {error}");
}
