//! Takes all that it can of what a manager has, and tells how much it was refused.
#![no_std]

use riposte::console::{self, ReadError};
use riposte::interface::CallError;
use riposte::thread::{self, JoinHandle, Settings};
use riposte::{Event, Text};
use riposte_log::{ReadError as LogError, Reader};
use riposte_queue::{QueueError, Queues};

/// More than any manager keeps waiting.
const THREADS: usize = 33;

/// Waits for what does not come: the number says where. Returns 1 if it may not.
fn wait(at: usize) -> u32 {
    let refused = match at {
        0 => {
            let mut log = Reader::new(riposte::connect("log").unwrap());
            let found = log.next(&mut Text::new(&mut [0; 16]));
            found.err() == Some(CallError::Application(LogError::TooManyWait))
        }
        1 => {
            let queues = Queues::connect("queues").unwrap();
            let found = queues.open("hog").unwrap().receive(&mut [0; 32]);
            found == Err(QueueError::TooManyWait)
        }
        _ => console::read_key() == Err(ReadError::TooManyReaders),
    };
    u32::from(refused)
}

/// How many queues it can make.
fn make() -> u32 {
    let queues = Queues::connect("queues").unwrap();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let made = names.map(|name| queues.create(name, 1, 4).is_ok());
    made.into_iter().filter(|made| *made).count() as u32
}

#[riposte::main]
fn main() {
    let mut crowd: [Option<JoinHandle>; THREADS] = [const { None }; THREADS];
    let mut refused = 0;
    let channel = riposte::own_channel().unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => {
            let [what, ..] = message.words();
            match what {
                3 => message.answer_words([make()]),
                // How many were refused by now.
                4 => {
                    let waited = crowd.iter().flatten();
                    let ended = waited.filter_map(|thread| thread.try_join().ok());
                    refused += ended.sum::<u32>();
                    message.answer_words([refused])
                }
                at => {
                    // More urgent than this thread: each waits, or has been refused, when it goes on.
                    crowd = [(); THREADS]
                        .map(|()| thread::spawn(wait, at as usize, Settings::new(11)).ok());
                    message.answer_words([crowd.iter().flatten().count() as u32])
                }
            }
        }
        Event::Notice(_) => riposte::Answer::later(),
    });
    panic!("the hog's channel: {error}");
}
