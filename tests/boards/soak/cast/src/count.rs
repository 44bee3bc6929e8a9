//! How much of each thing an instance can have: it takes all of it.

use core::fmt::Write;

use riposte::sync::Word;
use riposte::thread::{self, Settings};
use riposte::{Deadline, Duration, Text};

use crate::soon;
use crate::threads::THREADS;

/// Bits of a figure in the status.
const BITS: u32 = 6;

/// The status that says so much of each thing, and how many threads can be started.
pub fn status([first, second, third, fourth]: [u32; 4]) -> u32 {
    let figures = [first, second, third, fourth, threads()];
    figures.into_iter().fold(0, |all, it| all << BITS | it)
}

/// How often something goes well before it does not.
pub fn until_refused(mut goes_well: impl FnMut(u32) -> bool) -> u32 {
    (0..).find(|n| !goes_well(*n)).unwrap_or(0)
}

/// Threads that can be started beside the main one. They end with it.
fn threads() -> u32 {
    fn sleep(_: usize) -> u32 {
        let _ = riposte::sleep(Duration::from_secs(1));
        0
    }
    until_refused(|_| thread::spawn(sleep, 0, Settings::new(1)).is_ok())
}

/// How many threads can wait at a server at once, of one more than may in one process. Of each `waits` says whether it
/// was let wait, until it gave up.
#[must_use]
pub fn waiters(waits: impl Fn() -> bool + Sync) -> u32 {
    let all = Word::new(0);
    let body = || all.add(waits().into());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(&body, Settings::new(1)).unwrap();
        }
        body();
    });
    all.load()
}

/// Until all of them wait.
#[must_use]
pub fn late() -> Deadline {
    soon(50_000)
}

/// A name that only this instance has.
#[must_use]
pub fn own_name<'a>(room: &'a mut [u8], before: &str, number: u32) -> Text<'a> {
    let mut name = Text::new(room);
    let _ = write!(name, "{before}{}-{number}", riposte::process_name());
    name
}
