//! Starts a thread that needs more stack than it has, when it is told to.
#![no_std]

use core::hint::black_box;

use riposte::thread::{self, Settings};
use riposte::{Answer, Event};

/// Not a tail call, so that each turn takes stack.
#[expect(unconditional_recursion, reason = "it is to use up its stack")]
fn overflow(depth: usize) -> u32 {
    let frame = black_box([depth; 16]);
    overflow(depth + 1).wrapping_add(frame[depth % 16] as u32)
}

fn idle(value: usize) -> u32 {
    value as u32
}

#[riposte::main]
fn main() {
    let channel = riposte::channel("mortal").unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => {
            // The first one lies between the main thread's stack and that of the one that overflows.
            let first = thread::spawn(idle, 5, Settings::new(8)).unwrap();
            let body = if message.words()[0] == 0 {
                overflow
            } else {
                idle
            };
            let second = thread::spawn(body, 6, Settings::new(8)).unwrap();
            let values = [first, second].map(|thread| thread.join().unwrap());
            message.answer_words(values)
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the channel: {error}");
}
