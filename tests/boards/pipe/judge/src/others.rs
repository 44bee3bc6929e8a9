//! Pipes to other processes, and what becomes of them when these die.

use check::{equal, holds};
use embedded_io::Write;
use riposte::Duration;
use riposte_pipe::{PipeError, Pipes};

use crate::reads;

/// Bytes of the stream, many times what its pipes hold.
const LENGTH: usize = 2000;

/// Bytes that both pipes hold.
const ON_THE_WAY: usize = 64 + 24;

/// The byte at this position.
fn byte(position: usize) -> u8 {
    (position * 7 % 251) as u8
}

pub(crate) fn echo(pipes: &Pipes) {
    let mut there = pipes.writer("there").unwrap();
    let back = pipes.reader("back").unwrap();
    let (mut sent, mut came, mut right) = (0, 0, true);
    while came < LENGTH {
        let mut bytes = [0; 33];
        let end = (sent + bytes.len()).min(LENGTH);
        // No more is on its way than both pipes hold: else both processes would wait for room.
        if sent < end && end - came <= ON_THE_WAY {
            (sent..end)
                .zip(&mut bytes)
                .for_each(|(n, to)| *to = byte(n));
            there.write_all(&bytes[..end - sent]).unwrap();
            sent = end;
        }
        let length = back.read(&mut bytes).unwrap();
        right &= (came..).zip(&bytes[..length]).all(|(n, it)| *it == byte(n));
        came += length;
    }
    holds(
        "a stream comes back as it went, byte by byte",
        right && came == LENGTH,
    );
    drop(there);
    equal(
        "the end goes on to the next pipe",
        back.read(&mut [0; 4]),
        Ok(0),
    );
}

pub(crate) fn deaths(pipes: &Pipes) {
    let (read, write) = (
        pipes.reader("of-writer").unwrap(),
        pipes.writer("of-reader").unwrap(),
    );
    // They have waited and died by then.
    let _ = riposte::sleep(Duration::from_millis(5));
    holds(
        "what the dead have written is read",
        reads(&read, b"12345678"),
    );
    let found = read.read(&mut [0; 4]);
    equal(
        "what they waited with is gone, and their end is closed",
        found,
        Ok(0),
    );
    let found = write.write(b"x");
    equal(
        "nobody is left who could read",
        found,
        Err(PipeError::NoReader),
    );
}

/// A client that is ended while it waits for one of several ends, and may have one thread that waits.
pub(crate) fn watchers_end(pipes: &Pipes) {
    let told = pipes.reader("by-watcher").unwrap();
    // So that the pipe does not end with each of its lives.
    let _open = pipes.writer("by-watcher").unwrap();
    for _ in 0..3 {
        let mut mark = [0];
        let _ = told.read(&mut mark);
        equal(
            "who dies waiting takes no place of its next life",
            mark,
            *b".",
        );
        // By then it waits.
        let _ = riposte::sleep(Duration::from_millis(1));
        riposte::process("watcher").unwrap().restart();
    }
}
