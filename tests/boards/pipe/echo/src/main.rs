//! Writes back what it reads, until there is no more. It may make no pipe.
#![no_std]

use embedded_io::Write;
use riposte_pipe::{PipeError, Pipes};

#[riposte::main]
fn main() {
    let pipes = Pipes::connect("pipes").unwrap();
    // The manifest lets it make none.
    assert_eq!(pipes.make("mine", 1), Err(PipeError::TooManyPipes));
    let there = pipes.reader("there").unwrap();
    let mut back = pipes.writer("back").unwrap();
    let mut bytes = [0; 50];
    while let Ok(length @ 1..) = there.read(&mut bytes) {
        back.write_all(&bytes[..length]).unwrap();
    }
}
