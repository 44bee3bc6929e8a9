//! Waits for answers from another node that do not come: as many as may be on the way.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{Deadline, Duration};
use riposte_names::Names;

#[riposte::main]
fn main() {
    wait();
}

#[riposte::thread]
fn second() -> ! {
    wait();
    riposte::exit(0)
}

fn wait() {
    let names = Names::connect().unwrap();
    let found = names
        .locate_until("//paris/mortal", Deadline::None)
        .unwrap();
    let _ = found.connection.send_words([1]);
    // Whoever is told why there is none does not end the other one's wait.
    let _ = riposte::sleep(Duration::from_secs(3600));
}
