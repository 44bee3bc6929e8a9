//! A driver that answers with a reading, and crashes in the way that it is asked to.
#![no_std]

use core::hint::black_box;

use riposte::{Answer, Event, Message};
use riposte_names::Names;

/// The boards' memories are aligned to this size, and the kernel lies first in each. (Where addresses are translated, what
/// is seen there is the process's own code.)
const MEMORY: usize = 4 << 20;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    Names::connect()
        .unwrap()
        .register("/dev/unruly", channel)
        .unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => serve(message),
        Event::Notice(_) => Answer::later(),
    });
    panic!("the driver's channel: {error}");
}

fn serve(message: Message<'_>) -> Answer<'_> {
    match message.words()[0] {
        1 => panic!("the device says 7, which cannot be"),
        2 => {
            let own = 0_u32;
            let forbidden = ((&raw const own).addr() & !(MEMORY - 1)) as *mut u32;
            // SAFETY: not sound at all. The memory protection stops it, which is the point.
            unsafe { forbidden.write_volatile(1) };
        }
        3 => {
            overflow(1);
        }
        4 => riposte::exit(3),
        5 => loop {
            black_box(());
        },
        _ => {}
    }
    message.answer_words([21])
}

/// Needs ever more stack.
#[inline(never)]
fn overflow(depth: u32) -> u32 {
    let frame = black_box([depth; 16]);
    if depth == 0 {
        0
    } else {
        overflow(depth + 1) + frame[0]
    }
}
