//! Waits at a queue with a short message; its other thread closes the connection meanwhile, and the judge ends both.
#![no_std]

use riposte_queue::Queues;

#[riposte::main]
fn main() {
    let begin = riposte::connect("begin").unwrap();
    let queues = Queues::connect("queues").unwrap();
    let narrow = queues.open("narrow").unwrap();
    begin.send_words([0]).unwrap();
    let _ = narrow.send(b"dead");
    riposte::exit(1);
}

#[riposte::thread]
fn end() -> ! {
    let begin = riposte::connect("begin").unwrap();
    // Answered when the main thread waits.
    begin.send_words([1]).unwrap();
    riposte::connect("queues").unwrap().close().unwrap();
    let _ = begin.send_words([2]);
    panic!("nobody ends this process");
}
