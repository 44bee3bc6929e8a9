//! Gives on what it is given: all of it safe Rust, as the library's book has it.
#![no_std]
#![forbid(unsafe_code)]

use riposte::thread::{self, Settings};
use riposte::{Answer, Delivery, Event, Memory, Status};

/// To whom, by the first word that comes with the memory.
const SERVERS: [&str; 3] = ["sink", "deaf", "mute"];

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => match message.fetch_memory() {
            Ok(Memory::Moved(delivery)) => forward(delivery),
            Ok(_) => Answer::later(),
            Err(message) => message.answer_error(Status(1)),
        },
        Event::Notice(_) => Answer::later(),
    });
    panic!("{error}");
}

fn forward(delivery: Delivery<'_>) -> Answer<'_> {
    let [which, ..] = delivery.words();
    let name = SERVERS[which as usize];
    let (memory, client) = delivery.into_parts();
    let server = riposte::connect(name).unwrap();
    // Less urgent than the client as well: it runs when this thread waits.
    let killer =
        (which > 0).then(|| thread::spawn(kill, which as usize, Settings::new(2)).unwrap());
    let given = server.give(memory, [0; 3]);
    if let Some(killer) = killer {
        killer.join().unwrap();
    }
    match given {
        Ok(_) => Answer::words(client, [0]),
        Err(failure) => {
            // It is released behind this.
            let first = failure.memory.map_or(0, |it| u32::from(it[0]));
            Answer::words(client, [failure.error as u32, first])
        }
    }
}

fn kill(which: usize) -> u32 {
    riposte::process(SERVERS[which]).unwrap().restart();
    0
}
