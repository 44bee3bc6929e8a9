//! Asks for hosts that nobody tells of, as often as it may, and says whether it could.
#![no_std]

use riposte::thread::{self, Settings};
use riposte::{Deadline, Duration, Event, Instant, Message};
use riposte_network::{Network, NetworkError};

/// Threads that ask beside the first one.
const MORE: usize = 3;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let network = Network::connect("network").unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => answer(&network, message),
        Event::Notice(_) => riposte::Answer::later(),
    });
    panic!("{error}");
}

/// Asks with all threads but this one: whether there was a question left for each of them and for this one, which has asked
/// until its deadline.
fn answer<'a>(network: &Network, message: Message<'a>) -> riposte::Answer<'a> {
    for number in 0..MORE {
        thread::spawn(ask, number, Settings::new(12))
            .unwrap()
            .detach();
    }
    let soon = Instant::now() + Duration::from_millis(20);
    let own = network.resolve_until("silent.test", soon);
    message.answer_words([u32::from(own == Err(NetworkError::TimedOut))])
}

/// For ever, as far as it goes.
fn ask(_: usize) -> u32 {
    let network = Network::connect("network").unwrap();
    let _ = network.resolve_until("silent.test", Deadline::None);
    0
}
