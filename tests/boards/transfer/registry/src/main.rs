//! Hands its connections on: the one that it may for 0, the one that it may not for 1, one that it
//! does not have for 2. What the kernel refused it tells as the status.
#![no_std]

use riposte::{Connection, Event, Status, Token};

#[riposte::main]
fn main() {
    let names = riposte::channel("names").unwrap();
    let open = riposte::connect("open").unwrap();
    let closed = riposte::connect("closed").unwrap();
    let none = Connection::from_handle(0xFFFF_FF07);
    loop {
        if let Ok(Event::Message(message)) = names.receive_words() {
            let connection = match message.words()[0] {
                0 => &open,
                1 => &closed,
                _ => &none,
            };
            let (tag, generation) = message.into_token().into_parts();
            // SAFETY: nothing is lent to this process.
            let token = || unsafe { Token::from_parts(tag, generation) };
            if let Err(error) = token().reply_handle([1, 2, 3, 4], connection) {
                token().reply_error(Status(error as u32)).unwrap();
            }
        }
    }
}
