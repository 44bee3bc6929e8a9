//! Waits at a queue until its other thread ends it.
#![no_std]

use riposte_queue::Queues;

#[riposte::main]
fn main() {
    let begin = riposte::connect("begin").unwrap();
    begin.send_words([]).unwrap();
    let queues = Queues::connect("queues").unwrap();
    let narrow = queues.open("narrow").unwrap();
    if riposte::setting("receives").is_ok() {
        let _ = narrow.receive(&mut [0; 64]);
    } else {
        let _ = narrow.send(b"of somebody who is dead");
    }
    riposte::exit(1);
}

/// Waits for the judge, while the main thread waits at the queue.
#[riposte::thread]
fn end() -> ! {
    let begin = riposte::connect("begin").unwrap();
    let _ = begin.send_words([1]);
    panic!("as ordered");
}
