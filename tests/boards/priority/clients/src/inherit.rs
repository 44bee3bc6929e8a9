//! Rule 16: a server runs at the priority of the client that it serves, downwards too; a channel
//! can opt out.

use core::sync::atomic::{AtomicU32, Ordering};

use check::holds;
use riposte::Instant;

use crate::phase::{FIXED, LOWERED, RAISED, open, pause, wait};

/// The server's order to use the processor.
const WORK: u32 = 2;
/// Microseconds for which `middle` uses the processor.
const SPIN: u32 = 3000;

/// Microseconds, from when `high` sent until its answer came.
static ANSWERED: AtomicU32 = AtomicU32::new(0);
/// Microseconds by which `middle` woke too late while an urgent server worked for `low`.
static LATE: AtomicU32 = AtomicU32::new(0);

/// `high` waits for the next case meanwhile.
fn take_answered() -> u32 {
    let answered = ANSWERED.load(Ordering::Relaxed);
    ANSWERED.store(0, Ordering::Relaxed);
    answered
}

pub fn judge() {
    open(RAISED);
    pause(10_000);
    let raised = take_answered();
    holds(
        "16 a server runs at its client's priority",
        (300..1500).contains(&raised),
    );
    open(FIXED);
    pause(10_000);
    let fixed = take_answered();
    holds("16 a channel of fixed priority opts out", fixed > 2000);
    open(LOWERED);
    pause(10_000);
    let late = LATE.load(Ordering::Relaxed);
    holds(
        "16 a server runs at its client's priority, downwards too",
        (1..200).contains(&late),
    );
}

/// Uses the processor, so that nobody less urgent runs.
pub fn middle() {
    for phase in [RAISED, FIXED] {
        wait(phase, 500);
        let begin = riposte::Instant::now();
        while microseconds(begin) < SPIN {}
    }
    wait(LOWERED, 0);
    // The server works for `low` from half a millisecond on, for three.
    let begin = riposte::Instant::now();
    pause(1000);
    LATE.store(microseconds(begin) - 1000 + 1, Ordering::Relaxed);
}

/// Asks a server that is less urgent than `middle`, while that uses the processor.
pub fn high() {
    for (phase, name) in [(RAISED, "slow"), (FIXED, "fixed")] {
        let server = riposte::connect(name).unwrap();
        wait(phase, 1000);
        let begin = riposte::Instant::now();
        server.send_words([WORK, 300]).unwrap();
        ANSWERED.store(microseconds(begin), Ordering::Relaxed);
    }
}

/// Asks the most urgent server for much.
pub fn low() {
    let server = riposte::connect("sorted").unwrap();
    wait(LOWERED, 500);
    server.send_words([WORK, 3000]).unwrap();
}

fn microseconds(since: Instant) -> u32 {
    (riposte::Instant::now() - since).as_micros() as u32
}
