//! Prints much at once, whenever it is told to.
#![no_std]

use riposte::Event;

#[riposte::main]
fn main() {
    let channel = riposte::channel("noisy").unwrap();
    let console = riposte::connect("console").unwrap();
    let mut text = [b'.'; 4096];
    text[4095] = b'\n';
    loop {
        if let Ok(Event::Message(order)) = channel.receive_words() {
            let _ = order.reply(&[]);
            let _ = console.send(&text, &mut []);
        }
    }
}
