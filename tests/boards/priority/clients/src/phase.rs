//! The phases of the test.

use core::sync::atomic::{AtomicU32, Ordering};

use riposte::{Duration, Instant};

/// Microseconds between two looks at the phase: many threads look, and leave most of the time to
/// others even on a slow board.
const LOOK: u64 = 1000;
/// Microseconds from when a phase is open until it begins: all have looked by then.
const LEAD: u64 = 2 * LOOK;

static PHASE: AtomicU32 = AtomicU32::new(0);
/// When it begins, in microseconds.
static BEGIN: AtomicU32 = AtomicU32::new(0);

/// The clients send to a channel in priority order.
pub const SORTED: u32 = 1;
/// The clients send to a channel in arrival order.
pub const LINED_UP: u32 = 2;
/// A slow server inherits its client's priority.
pub const RAISED: u32 = 3;
/// A server of fixed priority does not.
pub const FIXED: u32 = 4;
/// An urgent server runs at its client's low priority.
pub const LOWERED: u32 = 5;
/// Two threads take turns, two others do not.
pub const POLICY: u32 = 6;

/// Opens a phase, which begins [`LEAD`] later.
pub fn open(phase: u32) {
    let begin = riposte::Instant::now().as_nanos() / 1000 + LEAD;
    BEGIN.store(begin as u32, Ordering::Relaxed);
    PHASE.store(phase, Ordering::Release);
}

/// Waits until `microseconds` after the phase's beginning.
pub fn wait(phase: u32, microseconds: u64) {
    while PHASE.load(Ordering::Acquire) != phase {
        pause(LOOK);
    }
    let begin = u64::from(BEGIN.load(Ordering::Relaxed));
    riposte::sleep_until(Instant::from_nanos((begin + microseconds) * 1000)).unwrap();
}

/// Lets others run for so long.
pub fn pause(microseconds: u64) {
    riposte::sleep(Duration::from_micros(microseconds)).unwrap();
}

/// Nothing more to do.
pub fn rest() -> ! {
    loop {
        pause(1_000_000);
    }
}
