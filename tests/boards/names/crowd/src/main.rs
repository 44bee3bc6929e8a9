//! Waits for a name with more threads than may, and tells how many were refused.
#![no_std]

use riposte::thread::{self, Settings};
use riposte::{Deadline, Duration, Event};
use riposte_names::{NameError, Names};

const THREADS: usize = 5;

/// Waits for ever; returns 1 if it may not.
fn wait(_: usize) -> u32 {
    let names = Names::connect().unwrap();
    let refused = names.locate_until("/dev/never", Deadline::None).err();
    u32::from(refused == Some(NameError::TooManyWait))
}

#[riposte::main]
fn main() {
    let waiting = [(); THREADS].map(|()| thread::spawn(wait, 0, Settings::new(9)).unwrap());
    let _ = riposte::sleep(Duration::from_millis(1));
    let ended = waiting
        .into_iter()
        .filter_map(|thread| thread.try_join().ok());
    let refused = ended.sum::<u32>();
    let channel = riposte::own_channel().unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => message.answer_words([refused]),
        Event::Notice(_) => riposte::Answer::later(),
    });
    panic!("the crowd's channel: {error}");
}
