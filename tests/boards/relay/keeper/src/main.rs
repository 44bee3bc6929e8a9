//! Hands a client on when it is asked to let it go.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{Event, Token};

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let next = riposte::connect("next").unwrap();
    let mut kept: Option<Token> = None;
    loop {
        match channel.receive(&mut []).unwrap() {
            Event::Message(message) => kept = Some(message.into_token()),
            Event::Notice(_) => {
                if let Some(client) = kept.take() {
                    client.try_relay(&next, &[]).unwrap();
                }
            }
        }
    }
}
