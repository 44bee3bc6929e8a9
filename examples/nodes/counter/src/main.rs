//! Counts visits, whoever comes: it knows nothing of other machines.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{Event, Notice, println};
use riposte_names::ANEW;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    riposte_names::register("/counter", channel).unwrap();
    let mut count = 0;
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => {
            let [visits, ..] = message.words();
            count += visits;
            println!("counter: {count}");
            message.answer_words([count])
        }
        Event::Notice(Notice::Bits { bits }) if bits & ANEW != 0 => {
            riposte_names::register("/counter", channel).unwrap();
            riposte::Answer::later()
        }
        Event::Notice(_) => riposte::Answer::later(),
    });
    panic!("the counter's channel: {error}");
}
