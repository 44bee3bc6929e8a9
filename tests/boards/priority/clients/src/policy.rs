//! Rule 15: round-robin threads of one priority share the processor by slices; FIFO threads keep
//! it.

use core::sync::atomic::{AtomicU32, Ordering};

use check::holds;
use riposte::Duration;

use crate::phase::{POLICY, open, pause, rest, wait};

/// Turns that each of the round-robin threads has made.
static TURNS: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];
/// Turns that each of the FIFO threads has made.
static ROW: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

pub fn judge() {
    open(POLICY);
    pause(20_000);
    let [a, b] = counts(&TURNS);
    holds(
        "15 round-robin threads share the processor",
        a.min(b) > 100 && a.max(b) < 2 * a.min(b),
    );
    pause(30_000);
    let [a, b] = counts(&ROW);
    holds(
        "15 a FIFO thread keeps the processor from its equals",
        a.max(b) > 100 && a.min(b) == 0,
    );
}

fn counts(counters: &[AtomicU32; 2]) -> [u32; 2] {
    [0, 1].map(|which: usize| counters[which].load(Ordering::Relaxed))
}

/// Counts one more; each counter is one thread's own.
fn count(counter: &AtomicU32) {
    counter.store(
        counter.load(Ordering::Relaxed).wrapping_add(1),
        Ordering::Relaxed,
    );
}

/// Counts for 20 milliseconds.
pub fn take_turns(which: usize) -> ! {
    wait(POLICY, 100);
    let end = riposte::Instant::now() + Duration::from_millis(20);
    while riposte::Instant::now() < end {
        count(&TURNS[which]);
    }
    rest()
}

/// Counts for ever.
pub fn in_a_row(which: usize) -> ! {
    wait(POLICY, 100);
    loop {
        count(&ROW[which]);
    }
}
