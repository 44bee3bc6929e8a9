//! Answers with a temperature, three times; then it fails, and begins anew.
#![no_std]

use riposte::{Answer, Event, Notice};
use riposte_names::ANEW;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    riposte_names::register("/dev/thermometer", channel).unwrap();
    let mut readings = 0;
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => {
            readings += 1;
            assert!(readings <= 3, "the sensor does not answer");
            message.answer_words([20 + readings])
        }
        // The names server has begun anew.
        Event::Notice(Notice::Bits { bits }) if bits & ANEW != 0 => {
            riposte_names::register("/dev/thermometer", channel).unwrap();
            Answer::later()
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the thermometer's channel: {error}");
}
