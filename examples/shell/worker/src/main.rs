//! Takes some milliseconds for each answer, and says in the log how many there were.
#![no_std]

use core::cell::Cell;

use riposte::{Answer, Duration, Event, Instant};
use riposte_log::log::{LevelFilter, info};

/// How long an answer takes.
const WORK: Duration = Duration::from_millis(10);

#[riposte::main]
fn main() {
    riposte_log::init("log", LevelFilter::Info).unwrap();
    let count = Cell::new(0);
    let channel = riposte::own_channel().unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => {
            count.set(count.get() + 1);
            let end = Instant::now() + WORK;
            while Instant::now() < end {}
            if count.get() % 10 == 1 {
                info!("{} answers", count.get());
            }
            message.answer_words([count.get()])
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the worker's channel: {error}");
}
