//! Reads whatever comes through the pipe, and waits for more.
#![no_std]

use riposte_pipe::Pipes;

#[riposte::main]
fn main() {
    let pipes = Pipes::connect("pipes").unwrap();
    let data = pipes.reader("data").unwrap();
    while let Ok(1..) = data.read(&mut [0; 64]) {}
}
