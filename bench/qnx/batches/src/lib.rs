//! Batches of transfers between two nodes, as the first node has them done: the host types a line before each, and counts what both
//! nodes execute until the next one.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{console, println};

/// The bytes of a transfer, as they were published.
pub const SIZES: [usize; 18] = [
    1, 32, 100, 128, 512, 1024, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 8192, 10_240, 12_288,
    15_369, 22_528,
];

/// How often there and back, batch by batch: what few and many differ by is free of what begins and ends a batch, and the least
/// of several of what came late.
const TURNS: [u32; 6] = [1, 40, 1, 40, 1, 40];

/// Has `measure` do its batches, says what came of it, and stops the machine when the host has counted.
pub fn conduct(measure: impl FnOnce() -> Result<(), &'static str>) {
    match measure() {
        Ok(()) => println!("@done"),
        Err(why) => println!("@fail {why}"),
    }
    wait();
    let _ = riposte::shutdown(0);
}

/// How a transfer is cut: into parts of so many bytes at most, of which its sender may have begun so many that have not been taken.
#[derive(Clone, Copy)]
pub struct Parts {
    /// Bytes of one.
    pub bytes: usize,
    /// How many may be begun.
    pub ahead: usize,
}

/// All batches of a case: `turn` goes there and back once, with so many bytes. A transfer is in `parts`, or does one thing at a
/// time.
///
/// # Errors
/// That of `turn`.
pub fn all(
    case: &str,
    sizes: &[usize],
    parts: Option<Parts>,
    mut turn: impl FnMut(usize) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    for size in sizes {
        for turns in TURNS {
            match parts {
                Some(Parts { bytes, ahead }) => {
                    let count = size.div_ceil(bytes);
                    println!("@batch {case} {size} {turns} {count} {ahead}");
                }
                None => println!("@batch {case} {size} {turns}"),
            }
            wait();
            (0..turns).try_for_each(|_| turn(*size))?;
        }
    }
    Ok(())
}

/// Waits for the host.
fn wait() {
    let mut line = [0; 8];
    if let Err(error) = console::read_line(&mut line) {
        println!("@fail {error}");
    }
}
