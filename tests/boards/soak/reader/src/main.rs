//! Who reads the log as it grows.
#![no_std]

use riposte::interface::CallError;
use riposte::{Deadline, Error, Text};
use riposte_log::{LONGEST, ReadError, Reader};
use soak_test_cast::{Story, late, run, soon, waiters};

#[riposte::main]
fn main() {
    run(play, || [count(), 0, 0, 0])
}

fn may_be(error: &CallError<ReadError>) -> bool {
    matches!(
        error,
        CallError::Kernel(Error::TimedOut | Error::ServerDied)
    )
}

fn play(story: &mut Story) {
    let Ok(connection) = riposte::connect("log") else {
        return;
    };
    let mut log = Reader::new(connection);
    let mut room = [0; LONGEST];
    let mut text = Text::new(&mut room);
    for _ in 0..story.draw(40) {
        let next = log.next_until(&mut text, soon(story.draw(500)));
        if let Some(entry) = story.meets(next, may_be) {
            story.tell(entry.record.sequence as u32);
        }
    }
    if story.draw(2) == 0 {
        // It ends while it waits.
        while log.next_until(&mut text, Deadline::None).is_ok() {}
    }
}

/// Threads that wait for the next record.
fn count() -> u32 {
    waiters(|| {
        let mut log = Reader::new(riposte::connect("log").unwrap());
        let mut room = [0; LONGEST];
        let mut text = Text::new(&mut room);
        let deadline = late();
        loop {
            match log.next_until(&mut text, deadline) {
                Ok(_) => {}
                Err(why) => return why == CallError::Kernel(Error::TimedOut),
            }
        }
    })
}
