//! Gives on to the sink what it is given: all of it safe Rust, as the library's book has it.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{Answer, Event, Memory, Status};

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let sink = riposte::connect("sink").unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => match message.fetch_memory() {
            Ok(Memory::Moved(delivery)) => {
                let (memory, client) = delivery.into_parts();
                match sink.give(memory, [0; 3]) {
                    Ok(_) => Answer::words(client, []),
                    Err(_) => Answer::error(client, Status(2)),
                }
            }
            Ok(_) => Answer::later(),
            Err(message) => message.answer_error(Status(1)),
        },
        Event::Notice(_) => Answer::later(),
    });
    panic!("{error}");
}
