//! Waits for an answer from another node that does not come.
#![no_std]
#![forbid(unsafe_code)]

use riposte::Deadline;
use riposte_names::Names;

#[riposte::main]
fn main() {
    let names = Names::connect().unwrap();
    let found = names
        .locate_until("//paris/mortal", Deadline::None)
        .unwrap();
    let _ = found.connection.send_words([1]);
}
