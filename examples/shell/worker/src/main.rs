//! Computes for each answer, and says in the log how many there were.
#![no_std]

use core::cell::Cell;
use core::hint::black_box;

use riposte::{Answer, Event, Notice};
use riposte_log::log::{LevelFilter, info};
use riposte_names::ANEW;

/// Steps of the work for an answer: some milliseconds.
const STEPS: u32 = 1_000_000;

#[riposte::main]
fn main() {
    riposte_log::init("log", LevelFilter::Info).unwrap();
    let channel = riposte::own_channel().unwrap();
    riposte_names::register("/dev/worker", channel).unwrap();
    let count = Cell::new(0);
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => {
            count.set(count.get() + 1);
            for step in 0..STEPS {
                black_box(step);
            }
            if count.get() % 10 == 1 {
                info!("{} answers", count.get());
            }
            message.answer_words([count.get()])
        }
        // The names server has begun anew, and knows nobody.
        Event::Notice(Notice::Bits { bits }) if bits & ANEW != 0 => {
            riposte_names::register("/dev/worker", channel).unwrap();
            Answer::later()
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the worker's channel: {error}");
}
