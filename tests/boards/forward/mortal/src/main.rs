//! A server that never answers: it receives nothing, or all.
#![no_std]
#![forbid(unsafe_code)]

use riposte::sync::Word;
use riposte::{Answer, Error, Event, Memory, futex};

static NEVER: Word = Word::new(0);

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    if riposte::setting("receives") == Ok(0) {
        let ended: Result<(), Error> = futex::wait(&NEVER, 0);
        panic!("{ended:?}");
    }
    let error = channel.serve(&mut [], |event| {
        if let Event::Message(message) = event
            && let Ok(Memory::Moved(delivery)) = message.into_memory()
        {
            core::mem::forget(delivery);
        }
        Answer::later()
    });
    panic!("{error}");
}
