//! What is being tried, and the order in which it happens.

use riposte::sync::Word;
use riposte::{Duration, Instant};

/// The phase that the judge has opened.
static PHASE: Word = Word::new(0);
/// What happened, a digit each.
static LOG: Word = Word::new(0);

/// Phases, in the order in which the judge opens them.
pub mod name {
    pub const WORDS: u32 = 1;
    pub const WORDS_OVER: u32 = 2;
    pub const UNITS: u32 = 3;
    pub const HOLDING: u32 = 4;
    pub const BURNING: u32 = 5;
    pub const LATE: u32 = 6;
    pub const LATE_OVER: u32 = 7;
    pub const PASSING: u32 = 8;
    pub const MEETING: u32 = 9;
    pub const ACROSS: u32 = 10;
}

/// Opens the next phase.
pub fn open(phase: u32) {
    PHASE.store(phase);
}

/// Waits until the phase is open.
pub fn wait(phase: u32) {
    while PHASE.load() < phase {
        pause();
    }
}

/// Whether the phase is still open.
pub fn is(phase: u32) -> bool {
    PHASE.load() == phase
}

/// Lets everybody else run for a while.
pub fn pause() {
    // Nobody interrupts it; and then the caller looks again.
    let _ = riposte::sleep(Duration::from_micros(50));
}

/// Lets everybody else run until they wait for something.
pub fn settle() {
    let _ = riposte::sleep(Duration::from_millis(1));
}

/// Runs for a while.
pub fn burn(time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {}
}

/// Something has happened.
pub fn log(digit: u32) {
    let (Ok(_) | Err(_)) = LOG.update(|log| Some(log * 10 + digit));
}

/// What has happened since the last time.
pub fn logged() -> u32 {
    LOG.swap(0)
}

/// There is nothing left to do.
pub fn rest() -> ! {
    loop {
        let _ = riposte::sleep_until(Instant::from_nanos(u64::MAX));
    }
}
