//! Hands each client on; why that was refused it tells as the status.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{Answer, Event, Status};

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let back = riposte::connect("back").unwrap();
    let error = channel.serve(&mut [0; 8], |event| match event {
        Event::Message(message) => match message.try_relay(&back) {
            Ok(()) => Answer::later(),
            Err(error) => message.answer_error(Status(error as u32)),
        },
        Event::Notice(_) => Answer::later(),
    });
    panic!("{error}");
}
