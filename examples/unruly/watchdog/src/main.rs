//! Restarts the driver when it does not answer.
#![no_std]

use riposte::{Deadline, Duration, Error, Instant};

#[riposte::main]
fn main() {
    let driver = riposte::process("driver").unwrap();
    let mut connection = riposte::connect("driver").unwrap();
    loop {
        let _ = riposte::sleep(Duration::from_millis(50));
        let soon = Deadline::At(Instant::now() + Duration::from_millis(10));
        match connection.send_words_until([0], soon) {
            Ok(_) => {}
            Err(Error::TimedOut) => driver.restart(),
            // It has begun anew, or will; or it stays stopped, and that is not ours to say.
            Err(_) => {
                let _ = connection.reconnect();
            }
        }
    }
}
