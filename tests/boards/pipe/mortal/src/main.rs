//! Waits at a pipe until its other thread ends it.
#![no_std]

use riposte::Duration;
use riposte_pipe::Pipes;

#[riposte::main]
fn main() {
    let pipes = Pipes::connect("pipes").unwrap();
    if riposte::setting("reads").is_ok() {
        let end = pipes.reader("of-reader").unwrap();
        let _ = end.read(&mut [0; 4]);
    } else {
        let end = pipes.writer("of-writer").unwrap();
        end.write(b"12345678").unwrap();
        let _ = end.write(b"never");
    }
    panic!("nobody was to read, or to write");
}

#[riposte::thread]
fn end() -> ! {
    let _ = riposte::sleep(Duration::from_millis(2));
    panic!("this is the end");
}
