//! Rule 26: a send that would close a cycle of waiting clients is refused.

use check::equal;
use riposte::{Error, Event};

/// The server's order to send back after its answer.
const GREET: u32 = 4;
/// The server's order to send back before its answer.
const CLOSE_CIRCLE: u32 = 3;

pub fn judge() {
    let back = riposte::channel("back").unwrap();
    let server = riposte::connect("sorted").unwrap();
    // Who receives from a channel is the one that its clients wait for.
    server.send_words([GREET]).unwrap();
    if let Ok(Event::Message(message)) = back.receive_words() {
        message.reply_words([]).unwrap();
    }
    let error = server.send_words([CLOSE_CIRCLE]).unwrap().words[0];
    equal(
        "26 a send that closes a cycle is refused",
        error,
        Error::Deadlock as u32,
    );
    let again = server.send_words([0]).map(|reply| reply.len);
    equal("26 everybody goes on afterwards", again, Ok(0));
}
