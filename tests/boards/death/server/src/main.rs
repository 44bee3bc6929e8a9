//! Dies when it is told to; counts what it has served in this life.
#![no_std]

use riposte::{Duration, Event};

/// Order: use the processor for a millisecond, then die.
const DIE: u32 = 1;
/// Order: end without a fault.
const END: u32 = 2;

#[riposte::main]
fn main() {
    let orders = riposte::channel("orders").unwrap();
    let mut served = 0;
    loop {
        match orders.receive_words() {
            Ok(Event::Message(message)) => match message.words()[0] {
                DIE => {
                    let end = riposte::Instant::now() + Duration::from_millis(1);
                    while riposte::Instant::now() < end {}
                    panic!("as ordered");
                }
                END => riposte::exit(3),
                _ => {
                    served += 1;
                    let _ = message.reply_words([served]);
                }
            },
            Ok(Event::Notice(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}
