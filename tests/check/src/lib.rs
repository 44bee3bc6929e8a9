//! How a test that runs on a board says what it found: one line a promise, and the machine stops
//! at the end.
#![no_std]

pub mod attack;
mod digest;
pub mod machine;
pub mod memory;
mod random;

use core::fmt::Debug;
use core::sync::atomic::{AtomicBool, Ordering};

pub use digest::Digest;
pub use random::Random;
use riposte::println;

/// Promises that did not hold.
static BROKEN: AtomicBool = AtomicBool::new(false);

/// The promise `name` holds, or does not.
pub fn holds(name: &str, condition: bool) {
    if condition {
        println!("@pass {name}");
    } else {
        broken(name, "it does not hold");
    }
}

/// The promise `name` holds if what was found is what was expected.
pub fn equal<T: PartialEq + Debug>(name: &str, found: T, expected: T) {
    if found == expected {
        println!("@pass {name}");
    } else {
        println!("@fail {name}: found {found:?}, expected {expected:?}");
        BROKEN.store(true, Ordering::Relaxed);
    }
}

/// The promise `name` does not hold, because of `why`.
pub fn broken(name: &str, why: &str) {
    println!("@fail {name}: {why}");
    BROKEN.store(true, Ordering::Relaxed);
}

/// Has the host type `text`, in which `\\n`, `\\r` and `\\xNN` stand for a byte each.
pub fn type_in(text: &str) {
    println!("@type {text}");
}

/// Everything has been tested; the machine stops.
pub fn done() -> ! {
    println!("@done");
    let error = riposte::shutdown(u32::from(BROKEN.load(Ordering::Relaxed)));
    panic!("shutdown: {error}");
}
