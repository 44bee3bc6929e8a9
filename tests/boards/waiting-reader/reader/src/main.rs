//! Waits for a line, once it is told to.
#![no_std]

use riposte::Event;
use riposte::console;

#[riposte::main]
fn main() {
    let channel = riposte::channel("reader").unwrap();
    let Ok(Event::Message(order)) = channel.receive_words() else {
        panic!("an order is a message");
    };
    let _ = order.reply(&[]);
    let _ = console::read_line(&mut [0; 64]);
}
