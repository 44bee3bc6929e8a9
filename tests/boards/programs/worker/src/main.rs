//! Does what its first argument says, and ends with a status that says what came of it.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use riposte::Duration;
use riposte::signal::{self, Set, Signal};
use riposte::thread::{self, Settings};
use riposte_process::{Arguments, Command, ProcessError, Processes};

/// How often this life has counted.
static COUNT: AtomicU32 = AtomicU32::new(7);

#[riposte::main]
fn main() {
    let given = Arguments::ask().unwrap();
    let number = || given.get(2).and_then(|text| text.parse().ok()).unwrap_or(0);
    match given.get(1) {
        None => {}
        Some("exit") => riposte::exit(number()),
        Some("panic") => panic!("it was told to"),
        // Fresh memory: it is what it was at first.
        Some("count") => {
            let count = COUNT.load(Ordering::Relaxed);
            COUNT.store(count + 1, Ordering::Relaxed);
            riposte::exit(count);
        }
        Some("check") => riposte::exit(u32::from(!is_as_expected(&given))),
        // In its first life, too, it has threads to start.
        Some("thread") => {
            let started = thread::spawn(|argument| argument as u32 + 1, 41, Settings::new(6));
            riposte::exit(started.map_or(0, |thread| thread.join().unwrap_or(0)));
        }
        // Ends if it can still be told what it was given.
        Some("ask") => {
            let _ = riposte::sleep(Duration::from_millis(5));
            if Arguments::ask().map(|_| ()) == Err(ProcessError::NoProgram) {
                let _ = riposte::sleep(Duration::from_secs(1));
            }
        }
        Some("pid") => riposte::exit(given.pid().0),
        Some("sleep") => loop {
            let _ = riposte::sleep(Duration::from_secs(1));
        },
        Some("short") => {
            let _ = riposte::sleep(Duration::from_millis(2));
        }
        Some("signal") => {
            let taken = signal::wait(Set::of(&[Signal::TERMINATE]));
            riposte::exit(taken.map_or(1, |taken| taken.signal.number()));
        }
        // Leaves a child behind.
        Some("nest") => {
            let child = Command::new("worker").argument("sleep");
            let spawned = Processes::connect().unwrap().spawn(&child);
            riposte::exit(spawned.map_or(0, |pid| pid.0));
        }
        Some(_) => riposte::exit(99),
    }
}

fn is_as_expected(given: &Arguments) -> bool {
    let expected = ["worker", "check", "two words", "", "é"];
    given.iter().eq(expected)
        && given.get(5).is_none()
        && given.environment("HOME") == Some("/ram")
        && given.environment("EMPTY") == Some("")
        && given.environment("EQUAL") == Some("a=b")
        && given.environment("HOM").is_none()
        && given.environment("check").is_none()
}
