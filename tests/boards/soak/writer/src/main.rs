//! Who writes the log.
#![no_std]

use riposte::Duration;
use riposte_log::log::{LevelFilter, info};
use soak_test_cast::{Story, run};

#[riposte::main]
fn main() {
    run(play, || [0; 4])
}

fn play(story: &mut Story) {
    let Ok(()) = riposte_log::init("log", LevelFilter::Info) else {
        return;
    };
    for _ in 0..story.draw(12) {
        info!("{}", story.draw(1_000_000));
        if story.draw(3) == 0 {
            let _ = riposte::sleep(Duration::from_micros(80));
        }
    }
}
