//! What is found through the registry: answers with the badge of the connection.
#![no_std]

use riposte::Event;

#[riposte::main]
fn main() {
    let channel = riposte::channel("service").unwrap();
    loop {
        if let Ok(Event::Message(message)) = channel.receive_words() {
            let badge = message.badge();
            message.reply_words([badge]).unwrap();
        }
    }
}
