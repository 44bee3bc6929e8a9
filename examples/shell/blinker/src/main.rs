//! Asks the worker for its count ten times a second, finds it again when it was restarted, and ends when it is told to.
#![no_std]

use riposte::signal::{self, Set, Signal};
use riposte::{Deadline, Duration, Error, Instant};
use riposte_names::{NameError, Names};

/// How long it does nothing.
const PAUSE: Duration = Duration::from_millis(100);
/// What ends it.
const END: Set = Set::of(&[Signal::TERMINATE]);

#[riposte::main]
fn main() {
    let mut names = Names::connect().unwrap();
    loop {
        match names.locate_until("/dev/worker", Deadline::None) {
            Ok(worker) => {
                while worker.connection.send_words([]).is_ok() {
                    if signal::wait_until(END, Instant::now() + PAUSE).is_ok() {
                        return;
                    }
                }
            }
            Err(NameError::Kernel(Error::ServerDied)) => names.reconnect().unwrap(),
            Err(error) => panic!("the worker: {error}"),
        }
    }
}
