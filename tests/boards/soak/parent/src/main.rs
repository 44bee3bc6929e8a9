//! Who has children, waits for some, and leaves others behind.
#![no_std]

use core::fmt::Write;

use riposte::signal::Signal;
use riposte::{Error, Text};
use riposte_process::{Command, Pid, ProcessError, Processes};
use soak_test_cast::{HOLD, Story, late, run, soon, until_refused, waiters};

#[riposte::main]
fn main() {
    run(play, count)
}

fn may_be(error: &ProcessError) -> bool {
    matches!(
        error,
        ProcessError::NoInstance
            | ProcessError::TooManyChildren
            | ProcessError::NoSuchChild
            | ProcessError::NoSuchProcess
            // Of a life of the process manager before this one: it is nobody's, or another one's.
            | ProcessError::NotAllowed
            | ProcessError::TimedOut
            | ProcessError::Kernel(Error::ServerDied)
    )
}

fn play(story: &mut Story) {
    let Ok(mut processes) = Processes::connect() else {
        return;
    };
    let mut last = Pid(0);
    for _ in 0..story.draw(10) {
        match story.draw(6) {
            0..3 => {
                let mut room = [0; 12];
                let mut number = Text::new(&mut room);
                let _ = write!(number, "{}", story.draw(100_000));
                let mut command = Command::new("leaf").argument(number.as_str());
                if story.draw(4) == 0 {
                    command = command.detached();
                }
                last = story
                    .meets(processes.spawn(&command), may_be)
                    .unwrap_or(last);
            }
            3 => {
                let end = processes.wait_any_until(soon(story.draw(900)));
                story.meets(end, may_be);
            }
            4 => {
                let end = processes.wait_until(last, soon(story.draw(900)));
                story.meets(end, may_be);
            }
            _ => {
                story.meets(processes.kill(last, Signal::TERMINATE), may_be);
            }
        }
        // One that has ended is reached again.
        let _ = processes.reconnect();
    }
    if story.draw(3) == 0 {
        story.meets(processes.wait_any(), may_be);
    }
}

/// Children, and threads that wait for one.
fn count() -> [u32; 4] {
    let processes = Processes::connect().unwrap();
    let held = Command::new("leaf").argument(HOLD);
    let mut children = [None; 8];
    let spawned = until_refused(|n| {
        let child = &mut children[n as usize];
        *child = processes.spawn(&held).ok();
        child.is_some()
    });
    let wait = || processes.wait_any_until(late()) == Err(ProcessError::TimedOut);
    let waiting = waiters(wait);
    for child in children.into_iter().flatten() {
        processes.kill(child, Signal::TERMINATE).unwrap();
        processes.wait(child).unwrap();
    }
    [spawned, waiting, 0, 0]
}
