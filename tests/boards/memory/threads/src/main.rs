//! Lends pages and its stack; answers how many bytes were copied each time.
#![no_std]

use riposte::{Answer, Duration, Event, Pages};

#[riposte::main]
fn main() {
    let channel = riposte::channel("threads").unwrap();
    let server = riposte::connect("server").unwrap();
    let pages = Pages::allocate(4096).unwrap();
    let stack = [0_u8; 512];
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => {
            let copied = |bytes: &[u8]| match server.lend(bytes, [0; 3]) {
                Ok(reply) => reply.copied.unwrap_or(0) as u32,
                Err(_) => u32::MAX,
            };
            message.answer_words([copied(&pages), copied(&stack)])
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the channel: {error}");
}

#[riposte::thread]
fn idle() -> ! {
    loop {
        // It is here to make two.
        let _ = riposte::sleep(Duration::from_millis(10));
    }
}
