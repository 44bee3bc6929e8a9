//! Switches a lamp on and off, which is somewhere in a zenoh network: the same calls as for a server on this board.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{Deadline, Duration, println};
use riposte_names::Names;
use riposte_node::NodeError;

#[riposte::main]
fn main() {
    let names = Names::connect().unwrap();
    let lamp = "//plant/lamp";
    let mut found = names.locate_until(lamp, Deadline::None).unwrap();
    let mut said = [0; 64];
    for wish in ["on", "off"].into_iter().cycle() {
        match found.connection.send(wish.as_bytes(), &mut said) {
            Ok(reply) => match NodeError::of(reply.status) {
                None => {
                    let text = said.get(..reply.len).unwrap_or(&said);
                    println!(
                        "switch: {}",
                        core::str::from_utf8(text).unwrap_or("(no text)")
                    );
                }
                Some(error) => println!("switch: {error}"),
            },
            // The node manager has begun anew.
            Err(error) => {
                println!("switch: {error}");
                found = names.locate_until(lamp, Deadline::None).unwrap();
            }
        }
        let _ = riposte::sleep(Duration::from_secs(1));
    }
}
