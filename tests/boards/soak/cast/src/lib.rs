//! What all programs of the soak test have in common: each does what a number says, and ends as it says; or counts how
//! much of each thing it can have.
#![no_std]

mod count;
mod story;
pub mod threads;

use core::hint::black_box;

pub use count::{late, own_name, until_refused, waiters};
use riposte::{Deadline, Duration, Instant};
use riposte_process::Arguments;
pub use story::Story;

/// Status of one that could not learn what it was for, since the process manager began anew.
const NOT_TOLD: u32 = 1;
/// What one is told that is to wait until it is ended.
pub const HOLD: &str = "hold";

/// Does what this process was told: waits, counts, or plays what a number says.
pub fn run(play: fn(&mut Story), count: fn() -> [u32; 4]) -> ! {
    let told = Arguments::ask();
    let Some(what) = told.as_ref().ok().and_then(|given| given.get(1)) else {
        riposte::exit(NOT_TOLD);
    };
    if what == HOLD {
        hold();
    }
    let Ok(number) = what.parse() else {
        riposte::exit(count::status(count()));
    };
    let mut story = Story::new(number);
    threads::play(&mut story);
    play(&mut story);
    end(&mut story);
    riposte::exit(0);
}

/// In one of many ways.
fn end(story: &mut Story) {
    match story.draw(8) {
        0 => {}
        1..4 => riposte::exit(story.status()),
        4 => panic!("it was told to"),
        5 => {
            overflow(1);
        }
        6 => hold(),
        // It computes, and is ended by chance before it is done.
        _ => {
            for _ in 0..20_000 {
                core::hint::spin_loop();
            }
        }
    }
}

/// Waits for who ends it.
fn hold() -> ! {
    loop {
        let _ = riposte::sleep(Duration::from_secs(1));
    }
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

/// So many microseconds from now.
#[must_use]
pub fn soon(microseconds: u32) -> Deadline {
    Deadline::At(Instant::now() + Duration::from_micros(microseconds.into()))
}
