//! Says which promises of libraries and servers do not hold.
#![no_std]

use check::{equal, holds};
use riposte::signal::{self, Signal};
use riposte::{Duration, Event, Instant, Pages};
use riposte_queue::{Queue, QueueError, Queues};

#[riposte::main]
fn main() {
    queue();
    signals();
    windows();
    check::done();
}

/// The queue server keeps as many waiting.
const WAITERS: usize = 32;

fn soon() -> Instant {
    Instant::now() + Duration::from_millis(1)
}

/// Lets a client die that waits, and has closed its connection before.
fn a_client_dies() {
    let channel = riposte::channel("begin").unwrap();
    let (mut waits, mut end) = (false, None);
    loop {
        let Ok(Event::Message(message)) = channel.receive_words() else {
            continue;
        };
        match message.words()[0] {
            0 => {
                waits = true;
                let _ = message.reply(&[]);
            }
            1 => end = Some(message.into_token()),
            _ => {
                riposte::process("mortal").unwrap().restart();
                return;
            }
        }
        if waits && let Some(end) = end.take() {
            let _ = riposte::sleep(Duration::from_millis(1));
            let _ = end.reply(&[]);
        }
    }
}

fn takes<'a>(queue: &Queue<'_>, buffer: &'a mut [u8; 64]) -> Result<&'a [u8], QueueError> {
    let length = queue.try_receive(buffer)?;
    Ok(&buffer[..length])
}

fn queue() {
    let queues = Queues::connect("queues").unwrap();
    let narrow = queues.open("narrow").unwrap();
    let mut buffer = [0; 64];
    equal("a queue is filled", narrow.try_send(b"full"), Ok(()));
    a_client_dies();
    let name = "a queue has what was put in";
    equal(name, takes(&narrow, &mut buffer), Ok(&b"full"[..]));
    let name = "a client that dies takes its message along";
    let found = takes(&narrow, &mut buffer);
    equal(name, found, Err(QueueError::TimedOut));
    while takes(&narrow, &mut buffer).is_ok() {}
    equal("a queue is filled", narrow.try_send(b"full"), Ok(()));
    for _ in 0..WAITERS {
        a_client_dies();
    }
    let name = "the dead do not keep their places";
    let found = narrow.send_until(b"late", soon());
    equal(name, found, Err(QueueError::TimedOut));
}

fn signals() {
    let served = riposte::connect("served-c").unwrap();
    let server = signal::target("served-c").unwrap();
    for name in [
        "a server of an interface in C goes on after a signal that it has handled",
        "and after the next one",
    ] {
        equal(
            "a server is sent a signal",
            server.send(Signal::USER_1, 0),
            Ok(()),
        );
        holds(name, served.send_words([0]).is_ok());
    }
}

fn windows() {
    let served = riposte::connect("served-c").unwrap();
    for name in [
        "moved memory that a server of an interface in C refuses is released",
        "and the next one",
    ] {
        let pages = Pages::allocate(4096).unwrap();
        let reply = served.give(pages, [0; 3]);
        let copied = reply.map(|reply| reply.copied).ok();
        equal(
            "memory is moved to a server without a copy",
            copied,
            Some(None),
        );
        holds(name, Pages::allocate(8192).is_some());
    }
}
