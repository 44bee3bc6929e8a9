//! Uses files, alone and with others, and over the server's lives.
#![no_std]

mod fifos;
mod hostile;
mod lives;
mod operations;
mod others;
mod refusals;

use riposte_files::{File, Files, Options};

/// How a file is opened to be read and written, and made if it is not there.
pub(crate) const NEW: Options = Options::new().read().write().create();
/// Blocks that this process may have, by the manifest.
pub(crate) const BLOCKS: u32 = 80;

#[riposte::main]
fn main() {
    let mut files = Files::connect("files").unwrap();
    operations::operations(&files);
    refusals::refusals(&files);
    hostile::hostile();
    if !hostile::has_fifos() {
        // Where the server is told of deadlines, it answers all the same.
        others::late(&files);
    }
    others::others(&files);
    fifos::fifos(&mut files);
    lives::lives(&mut files);
    check::done();
}

/// The byte at this position of what is written.
pub(crate) fn byte(seed: usize, position: usize) -> u8 {
    (seed * 31 + position * 7 + position / 251) as u8
}

/// Fills it with those from a position on.
pub(crate) fn fill(seed: usize, from: usize, bytes: &mut [u8]) {
    (from..).zip(bytes).for_each(|(n, to)| *to = byte(seed, n));
}

/// Whether these are those from a position on.
pub(crate) fn is_filled(seed: usize, from: usize, bytes: &[u8]) -> bool {
    (from..).zip(bytes).all(|(n, it)| *it == byte(seed, n))
}

/// Whether these are the bytes that come next, and the last ones.
pub(crate) fn reads(file: &File<'_>, expected: &[u8]) -> bool {
    let mut bytes = [0; 64];
    let length = file.read(&mut bytes);
    length == Ok(expected.len()) && bytes[..expected.len()] == *expected
}
