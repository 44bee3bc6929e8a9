//! Asks the worker for its count ten times a second, and finds it again when it was restarted.
#![no_std]

use riposte::{Deadline, Duration, Error};
use riposte_names::{NameError, Names};

#[riposte::main]
fn main() {
    let mut names = Names::connect().unwrap();
    loop {
        match names.locate_until("/dev/worker", Deadline::None) {
            Ok(worker) => {
                while worker.connection.send_words([]).is_ok() {
                    riposte::sleep(Duration::from_millis(100)).unwrap();
                }
            }
            Err(NameError::Kernel(Error::ServerDied)) => names.reconnect().unwrap(),
            Err(error) => panic!("the worker: {error}"),
        }
    }
}
