//! Receives once, and then waits for the next one, if there is one.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{Duration, Error, Instant};

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let soon = Instant::now() + Duration::from_millis(1);
    assert_eq!(
        channel.receive_until(&mut [], soon).err(),
        Some(Error::TimedOut)
    );
    // All have received once.
    riposte::sleep(Duration::from_millis(10)).unwrap();
    if let Ok(next) = riposte::connect("next") {
        let _ = next.send_words([]);
    }
    // Nobody lets the last one go.
    riposte::sleep(Duration::from_secs(3600)).unwrap();
}
