//! Waits for a line, and dies of its other thread meanwhile.
#![no_std]

use riposte::console::{self, LONGEST_LINE};
use riposte::{Event, println};

#[riposte::main]
fn main() {
    let channel = riposte::channel("mortal").unwrap();
    let Ok(Event::Message(order)) = channel.receive_words() else {
        panic!("an order is a message");
    };
    let _ = order.reply(&[]);
    let mut buffer = [0; LONGEST_LINE];
    println!("mortal has read {:?}", console::read_line(&mut buffer));
}

#[riposte::thread]
fn bomb() -> ! {
    let channel = riposte::channel("bomb").unwrap();
    let event = channel.receive_words();
    panic!("as the judge wants: {event:?}");
}
