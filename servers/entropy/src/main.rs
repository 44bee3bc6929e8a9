//! The entropy server: random bytes of the board's source. `README.md` beside it says how it is used.
#![no_std]

mod virtio;

use riposte::{Answer, Event, Message, Peripheral};
use riposte_entropy::protocol::{LARGEST, REQUEST, operation, status};
use virtio::Virtio;

#[riposte::main]
fn main() {
    let device = Peripheral::take("random").unwrap();
    let mut source = match device.kind() {
        "virtio-mmio" => Virtio::open(device),
        other => panic!("no driver for a source of random bytes of kind `{other}`"),
    };
    let channel = riposte::own_channel().unwrap();
    let error = channel.serve(&mut [0; REQUEST], |event| match event {
        Event::Message(message) => serve(&mut source, message),
        Event::Notice(_) => Answer::later(),
    });
    panic!("the entropy server's channel: {error}");
}

/// Does what a client asks.
fn serve<'a>(source: &mut Virtio, message: Message<'a>) -> Answer<'a> {
    let [what, count, ..] = message.words();
    if message.offered() != REQUEST {
        return message.answer_error(status::INVALID);
    }
    if what != operation::FILL {
        return message.answer_error(status::NOT_SUPPORTED);
    }
    let count = count as usize;
    if !(1..=LARGEST).contains(&count) {
        return message.answer_error(status::INVALID);
    }
    source.give(count, message.into_token());
    Answer::later()
}
