//! Writes a little to a FIFO, keeps its end, and waits until it is ended.
#![no_std]
#![forbid(unsafe_code)]

use riposte_pipe::Pipes;

#[riposte::main]
fn main() {
    let pipes = Pipes::connect("pipes").unwrap();
    let samples = pipes.writer("samples").unwrap();
    samples.write(b"left").unwrap();
    loop {
        let _ = riposte::sleep(riposte::Duration::from_secs(3600));
    }
}
