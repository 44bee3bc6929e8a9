//! Threads that wait, so that a call has many to deal with.

use riposte::Duration;
use riposte::thread::{self, JoinHandle, Settings};

/// As many as there can be.
pub const MANY: usize = 32;

/// Less urgent than whoever is measured.
const PRIORITY: u8 = 10;

/// Threads that were started and have not ended.
pub struct Crowd([Option<JoinHandle>; MANY]);

impl Crowd {
    /// Starts `count` threads, and waits until they wait.
    pub fn start(count: usize, body: fn(usize) -> u32) -> Crowd {
        let start = |number| thread::spawn(body, number, Settings::new(PRIORITY)).unwrap();
        let crowd = Crowd(core::array::from_fn(|number| {
            (number < count).then(|| start(number))
        }));
        settle();
        crowd
    }

    /// Waits until all have ended.
    pub fn end(self) {
        for handle in self.0.into_iter().flatten() {
            handle.join().unwrap();
        }
    }
}

/// Waits until all others wait, but for the spinner.
pub fn settle() {
    riposte::sleep(Duration::from_millis(50)).unwrap();
}
