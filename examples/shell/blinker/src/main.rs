//! Asks the worker for its count ten times a second, and finds it again when it was restarted.
#![no_std]

use riposte::{Duration, Error};

#[riposte::main]
fn main() {
    let mut worker = riposte::connect("work").unwrap();
    loop {
        riposte::sleep(Duration::from_millis(100)).unwrap();
        match worker.send_words([]) {
            Ok(_) => {}
            Err(Error::ServerDied) => {
                // Until somebody starts it again.
                while worker.reconnect().is_err() {
                    riposte::sleep(Duration::from_millis(100)).unwrap();
                }
            }
            Err(error) => panic!("the worker: {error}"),
        }
    }
}
