//! Visits a counter on another machine, ten times: the same calls as on its own. Only that the other machine may be gone is
//! new.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{Deadline, Duration, println};
use riposte_names::Names;
use riposte_node::NodeError;

#[riposte::main]
fn main() {
    let names = Names::connect().unwrap();
    let found = names.locate_until("//paris/counter", Deadline::None);
    let mut counter = found.unwrap().connection;
    let visits = riposte::setting("visits").unwrap();
    let mut seen = 0;
    while seen < visits {
        match counter.send_words([1]) {
            Ok(reply) => match NodeError::of(reply.status) {
                None => {
                    seen += 1;
                    println!("visitor: the counter says {}", reply.words[0]);
                }
                Some(error) => println!("visitor: {error}"),
            },
            // The node manager of this machine has begun anew.
            Err(error) => {
                println!("visitor: {error}");
                counter = names
                    .locate_until("//paris/counter", Deadline::None)
                    .unwrap()
                    .connection;
            }
        }
        let _ = riposte::sleep(Duration::from_millis(500));
    }
    let manager = riposte::connect("node").unwrap();
    println!("visitor: {:?}", riposte_node::state(&manager));
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}
