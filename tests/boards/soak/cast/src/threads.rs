//! Threads, and locks that all programs have in common.

use riposte::sync::Lock;
use riposte::thread::{self, Settings};
use riposte::{Deadline, Duration, Error};

use crate::soon;
use crate::story::Story;

/// Threads of an instance, beside its main one.
pub const THREADS: u32 = 4;
/// Locks.
const LOCKS: usize = 4;

/// The locks of all.
///
/// # Panics
/// The manifest has no such region.
#[must_use]
pub fn locks() -> &'static [Lock; LOCKS] {
    riposte::region("locks").unwrap().cast().unwrap()
}

/// Starts some threads, waits for some, and takes a lock with which it may end.
pub fn play(story: &mut Story) {
    let priority = story.draw(4) + 1;
    for _ in 0..story.draw(THREADS + 2) {
        let does = story.draw(6) as usize;
        let started = thread::spawn(body, does, Settings::new(priority as u8));
        let started = started.map_err(|refused| refused.error());
        let started = story.meets(started, |error| *error == Error::Exhausted);
        if let Some(started) = started
            && story.draw(3) == 0
        {
            let ended = started.join_until(soon(100));
            story.meets(ended, |error| *error == Error::TimedOut);
        }
    }
    if story.draw(2) == 0 {
        let lock = &locks()[story.draw(LOCKS as u32) as usize];
        let held = lock.lock_until(soon(200));
        if let Some(guard) = story.meets(held, |error| *error == Error::TimedOut) {
            story.tell(guard.owner_died().into());
            guard.repaired();
            if story.draw(2) == 0 {
                // It ends with it.
                core::mem::forget(guard);
            }
        }
    }
}

fn body(does: usize) -> u32 {
    let lock = &locks()[does % LOCKS];
    match does {
        0 => {}
        1 => {
            let _ = riposte::sleep(Duration::from_micros(50));
        }
        2 => {
            if let Ok(guard) = lock.lock_until(Deadline::None) {
                guard.repaired();
                let _ = riposte::sleep(Duration::from_micros(70));
            }
        }
        3 => core::mem::forget(lock.lock_until(Deadline::None)),
        4 => riposte::exit(2),
        _ => loop {
            let _ = riposte::sleep(Duration::from_millis(1));
        },
    }
    does as u32
}
