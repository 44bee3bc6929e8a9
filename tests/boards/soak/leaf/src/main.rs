//! Has threads and locks, as all programs do, and prints.
#![no_std]

use soak_test_cast::{Story, run, threads};

#[riposte::main]
fn main() {
    run(play, || [count(), 0, 0, 0])
}

/// Says a number.
fn play(story: &mut Story) {
    riposte::println!("leaf {}", story.draw(100));
}

/// Locks that nobody holds.
fn count() -> u32 {
    let free = threads::locks().iter();
    free.filter(|lock| lock.try_lock().is_ok()).count() as u32
}
