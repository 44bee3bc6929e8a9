//! Is a server of files and pipes to one client, of the network to another one, and takes no byte of what they write.
#![no_std]

use riposte::{Event, Status};
use riposte_files::protocol::operation as files;
use riposte_network::protocol::{ADDRESS, operation as network};
use riposte_pipe::protocol::operation as pipes;

/// The network's client.
const NETWORK: u32 = 2;
/// The number of whatever is opened.
const NUMBER: u32 = 7;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut buffer = [0; 256];
    loop {
        let Ok(Event::Message(message)) = channel.receive(&mut buffer) else {
            continue;
        };
        let [what, ..] = message.words();
        let (operation, client) = (what & 0xFF, message.badge());
        // A client that has left needs no answer.
        let _ = match (client, operation) {
            (NETWORK, network::CONNECT) => message.reply_words([NUMBER]),
            (NETWORK, network::CONNECTED) => message.reply(&[0; 2 * ADDRESS]).map(drop),
            (NETWORK, network::WRITE) => message.reply_words([0]),
            (NETWORK, network::CLOSE) => message.reply_words([]),
            (_, files::OPEN | pipes::OPEN_WRITE) => message.reply_words([NUMBER]),
            (_, files::WRITE | pipes::WRITE) => message.reply_words([0]),
            (_, files::CLOSE | pipes::CLOSE) => message.reply_words([]),
            _ => message.reply_error(Status(1)),
        };
    }
}
