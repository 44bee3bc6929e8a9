//! Goes on whatever others do.
#![no_std]

use riposte::Event;

#[riposte::main]
fn main() {
    let channel = riposte::channel("echo").unwrap();
    loop {
        if let Ok(Event::Message(message)) = channel.receive_words() {
            let words = message.words();
            message.reply_words(words).unwrap();
        }
    }
}
