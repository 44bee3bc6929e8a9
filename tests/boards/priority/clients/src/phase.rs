//! The phases of the test.

use core::sync::atomic::{AtomicU32, Ordering};

use riposte::Duration;

/// Microseconds between two looks at the phase: many threads look, and leave most of the time to
/// others even on a slow board.
const LOOK: u64 = 100;

static PHASE: AtomicU32 = AtomicU32::new(0);

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

/// Opens a phase.
pub fn open(phase: u32) {
    PHASE.store(phase, Ordering::Relaxed);
}

/// Waits until the phase is open, then `microseconds` more.
pub fn wait(phase: u32, microseconds: u64) {
    while PHASE.load(Ordering::Relaxed) != phase {
        pause(LOOK);
    }
    pause(microseconds);
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
