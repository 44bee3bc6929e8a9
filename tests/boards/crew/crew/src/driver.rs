//! The driver says what is to be done, and looks at what came of it.

use riposte::{Channel, Duration, Event, Message};

use crate::{faults, memory, messages, pools, regions, rooms, words};

pub fn run() {
    let orders = riposte::channel("orders").unwrap();
    settle();
    words::all();
    regions::all();
    rooms::all();
    messages::all(&orders);
    memory::all(&orders);
    pools::all(&orders);
    faults::all(&orders);
    check::done();
}

/// Everybody comes to where it waits.
pub fn settle() {
    riposte::sleep(Duration::from_millis(500)).unwrap();
}

/// The lender's next message of words: it asks for an order.
pub fn next(orders: &Channel) -> Message<'static> {
    loop {
        if let Event::Message(message) = orders.receive(&mut []).unwrap() {
            return message;
        }
    }
}

/// Gives the lender an order. Returns what came of the one before.
pub fn order(orders: &Channel, order: u32, argument: u32) -> u32 {
    let message = next(orders);
    let [outcome, ..] = message.words();
    message.reply_words([order, argument]).unwrap();
    outcome
}
