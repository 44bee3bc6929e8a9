//! Takes memory and releases it.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{Answer, Buffer, Event, Memory, Status};

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let error = channel.serve(&mut Buffer::<128>::new(), |event| match event {
        Event::Message(message) => match message.into_memory() {
            Ok(Memory::Moved(delivery)) => Answer::words(delivery.into_parts().1, []),
            Ok(_) => Answer::later(),
            Err(message) => message.answer_error(Status(1)),
        },
        Event::Notice(_) => Answer::later(),
    });
    panic!("{error}");
}
