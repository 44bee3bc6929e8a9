//! Reads what the judge tells it to, and says later what it got.
#![no_std]

use riposte::console::{self, LONGEST_LINE, ReadError};
use riposte::{Channel, Duration, Error, Event, Instant, Message};

/// Orders of the judge: the first word.
const LINE: u32 = 0;
const KEY: u32 = 1;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut buffer = [0; LONGEST_LINE];
    loop {
        let order = message(channel);
        let [what, ..] = order.words();
        let _ = order.reply(&[]);
        let got = match what {
            LINE => console::read_line(&mut buffer).map(str::as_bytes),
            KEY => key(&mut buffer),
            // Until so many microseconds have passed.
            later => {
                let deadline = Instant::now() + Duration::from_micros(later.into());
                console::read_line_until(&mut buffer, deadline).map(str::as_bytes)
            }
        };
        let got = got.unwrap_or(b"nothing");
        let _ = message(channel).reply(got);
    }
}

fn key(buffer: &mut [u8]) -> Result<&[u8], ReadError> {
    buffer[0] = console::read_key()?;
    Ok(&buffer[..1])
}

fn message(channel: Channel) -> Message<'static> {
    loop {
        match channel.receive_words() {
            Ok(Event::Message(message)) => return message,
            Ok(Event::Notice(_)) | Err(Error::NoSuchClient) => {}
            Err(error) => panic!("{error}"),
        }
    }
}
