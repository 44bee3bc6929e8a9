//! Gives each message back; it knows nothing of other machines.
#![no_std]
#![forbid(unsafe_code)]

use riposte::sync::Mutex;
use riposte::{Event, Notice, Status};
use riposte_names::ANEW;

/// The longest.
const LONGEST: usize = 22_528;

static BYTES: Mutex<[u8; LONGEST]> = Mutex::new([0; LONGEST]);

#[riposte::main]
fn main() {
    let channel = riposte::channel("echo").unwrap();
    riposte_names::register("/echo", channel).unwrap();
    let Ok(mut bytes) = BYTES.lock() else {
        panic!("another thread has the bytes");
    };
    loop {
        match channel.receive(&mut bytes[..]) {
            Ok(Event::Message(message)) => {
                let (token, bytes) = message.into_buffer();
                // A client that has left needs no answer.
                let _ = token.reply_with(Status::OK, bytes);
            }
            Ok(Event::Notice(Notice::Bits { bits })) if bits & ANEW != 0 => {
                riposte_names::register("/echo", channel).unwrap();
            }
            Ok(Event::Notice(_)) => {}
            Err(error) => panic!("the channel: {error}"),
        }
    }
}
