//! Waits for the innocent, and looks at who has been restarted.
#![no_std]

use check::holds;
use riposte::{Deadline, Event, Instant};

#[riposte::main]
fn main() {
    let results = riposte::channel("results").unwrap();
    let until = Deadline::At(Instant::from_nanos(60_000_000));
    let received = results.receive_until(&mut [], until);
    let lives = match received {
        Ok(Event::Message(message)) => {
            let [found, ..] = message.words();
            message.reply_words([]).unwrap();
            found == 42
        }
        _ => false,
    };
    holds(
        "27 who uses floating point is not blamed for what was left of a process that was restarted",
        lives,
    );
    check::done();
}
