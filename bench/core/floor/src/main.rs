//! Two processes that take turns, with no kernel logic between them: what any kernel costs on the
//! board. In an image of the floor, a call that answers and waits only switches to the other one.
#![no_std]

use measure::{Benchmark, Case, Counter, Meter, SAMPLES};
use riposte::{Channel, Event, Token, println};

#[riposte::main]
fn main() {
    if riposte::process_name() == "first" {
        measure::measure::<Floor>();
    } else {
        let iterations = riposte::setting("iterations").unwrap();
        second(
            iterations,
            &riposte::channel(riposte::process_name()).unwrap(),
        );
    }
}

struct Floor;

impl Benchmark for Floor {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        let channel = riposte::channel(riposte::process_name()).unwrap();
        first(meter, iterations, &channel);
    }
}

/// Measures a turn: two switches, there and back.
fn first<C: Counter>(meter: Meter<C>, iterations: u32, channel: &Channel) {
    // What comes back is the second process's first switch, and no answer.
    let _ = riposte::connect("second").unwrap().send_words([0]);
    let mut count = 0;
    let figures = meter.measure(iterations, || count = turn(channel, count));
    // This one is answered by the kernel: the message above gets its reply.
    count = turn(channel, count);
    if count == words(iterations) {
        figures.report(Case {
            name: "floor",
            protected: true,
            bytes: 4,
        });
    } else {
        println!("@fail floor: {count} turns were taken");
    }
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}

/// Words that the first process gives: one to warm up, those that are measured, and the last.
fn words(iterations: u32) -> u32 {
    1 + iterations + SAMPLES + 1
}

/// Adds one to each word.
fn second(iterations: u32, channel: &Channel) {
    let Ok(Event::Message(message)) = channel.receive_words() else {
        return;
    };
    let mut word = turn(channel, 0);
    for _ in 1..words(iterations) {
        word = turn(channel, word + 1);
    }
    message.reply_words([word + 1]).unwrap();
}

/// Gives `word` to the other process, and returns what it gives.
#[inline(always)]
fn turn(channel: &Channel, word: u32) -> u32 {
    // SAFETY: nothing is lent in an image of the floor.
    let nobody = unsafe { Token::from_parts(0, 0) };
    let received = channel.reply_words_and_expect_words(nobody, [word]);
    received.map_or(0, |message| message.words[0])
}
