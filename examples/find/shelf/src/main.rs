//! Has whatever path it is asked for below its name, and knows who asks.
#![no_std]

use riposte::{Answer, Event, Notice};
use riposte_names::ANEW;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    riposte_names::register("/ram", channel).unwrap();
    let error = channel.serve(&mut [0; 64], |event| match event {
        Event::Message(message) => {
            // The badge of who was handed the connection is its own: nobody else's, whoever handed it over.
            let client = riposte::client_name(message.badge());
            let length = message.bytes().len() as u32;
            message.answer_words([length, u32::from(client == Some("visitor"))])
        }
        Event::Notice(Notice::Bits { bits }) if bits & ANEW != 0 => {
            riposte_names::register("/ram", channel).unwrap();
            Answer::later()
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the shelf's channel: {error}");
}
