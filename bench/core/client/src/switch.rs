//! Calls without a message: one that does nothing, and one that lets another thread run.

use measure::{Case, Counter, Meter, SAMPLES};
use riposte::{Instant, println};

/// Yields of the peer beyond the measured ones.
const SPARE: u32 = 2;

/// `null-call`: what a system call costs. There is no unprotected form of it.
pub fn null_call<C: Counter>(meter: Meter<C>, iterations: u32) {
    let figures = meter.measure(iterations, riposte::null_call);
    figures.report(Case {
        name: "null-call",
        protected: true,
        bytes: 0,
    });
}

/// `yield`: one thread lets another run. Both do nothing else, so that each turn of the
/// measured loop is two of them.
pub fn yield_now<C: Counter>(meter: Meter<C>, iterations: u32) {
    for (protected, peer) in [(true, "yielder"), (false, "local-yielder")] {
        let peer = riposte::connect(peer).unwrap();
        // The peer ends between two yields that are not measured, if it ran between all others.
        peer.send_words([iterations + SAMPLES + 1 + SPARE]).unwrap();
        let mut figures = meter.measure(iterations, riposte::yield_now);
        for _ in 0..2 * SPARE {
            riposte::yield_now();
        }
        let end = riposte::Instant::now();
        let [low, high, ..] = peer.send_words([]).unwrap().words;
        let done = Instant::from_nanos(u64::from(low) | (u64::from(high) << 32));
        let case = Case {
            name: "yield",
            protected,
            bytes: 0,
        };
        if done > end {
            println!(
                "@fail {}: the other thread did not run in between",
                case.name
            );
            continue;
        }
        figures.operations = 2;
        figures.min_ticks /= 2;
        figures.max_ticks /= 2;
        figures.report(case);
    }
}
