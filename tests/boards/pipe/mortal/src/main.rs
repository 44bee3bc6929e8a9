//! Waits at a pipe until its other thread ends it; or for one of several ends, until the judge does.
#![no_std]

use riposte::{Deadline, Duration, Instant};
use riposte_pipe::{PipeError, Pipes};

#[riposte::main]
fn main() {
    let pipes = Pipes::connect("pipes").unwrap();
    if riposte::setting("reads").is_ok() {
        let end = pipes.reader("of-reader").unwrap();
        let _ = end.read(&mut [0; 4]);
    } else if watches() {
        let end = pipes.reader("of-watcher").unwrap();
        let soon = Deadline::At(Instant::now() + Duration::from_millis(1));
        // It waits, and no earlier life of it still does.
        let waited = pipes.watch(&[end.id()], soon);
        let mark = match waited {
            Err(PipeError::TimedOut) => b'.',
            _ => b'!',
        };
        let told = pipes.writer("by-watcher").unwrap();
        told.write(&[mark]).unwrap();
        let _ = pipes.watch(&[end.id()], Deadline::None);
    } else {
        let end = pipes.writer("of-writer").unwrap();
        end.write(b"12345678").unwrap();
        let _ = end.write(b"never");
    }
    panic!("nobody was to read, or to write");
}

fn watches() -> bool {
    riposte::setting("watches").is_ok()
}

#[riposte::thread]
fn end() -> ! {
    while watches() {
        let _ = riposte::sleep(Duration::from_secs(3600));
    }
    let _ = riposte::sleep(Duration::from_millis(2));
    panic!("this is the end");
}
