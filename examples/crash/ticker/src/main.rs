//! Goes on while another process crashes: counts how often that one was started, and prints a
//! line at each of its deaths. It has a device that the other one may not touch. When the other ends by itself, the machine stops.
#![no_std]

use riposte::{Answer, Event, Notice, println};

/// Starts after which the other process has nothing left to show.
const LAST: u32 = 8;

#[riposte::main]
fn main() {
    let channel = riposte::channel("ticker").unwrap();
    let device = riposte::Peripheral::take("gpio0").unwrap();
    let mut starts = 0;
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => {
            starts += 1;
            message.answer_words([starts, device.address()])
        }
        Event::Notice(Notice::ClientDied { .. }) => {
            println!("ticker: the other process ended, start {starts}; this one goes on");
            if starts == LAST {
                let error = riposte::shutdown(0);
                println!("shutdown: {error}");
            }
            Answer::later()
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the ticker's channel: {error}");
}
