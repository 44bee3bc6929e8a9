//! Uses files on a card whose device fails while their volumes are mounted.
#![no_std]

use check::equal;
use riposte::{Deadline, Duration, Instant};
use riposte_files::{FileError, Files, Options};
use riposte_pipe::{PipeError, Pipes};

/// Who reads this has the card make its next write, and say that it has failed.
const FAIL_NEXT: [u8; 4] = *b"fail";

#[riposte::main]
fn main() {
    equal(
        "a FAT volume is found when the device works again",
        outlives("fat"),
        Ok(*b"kept"),
    );
    equal(
        "and so is one that outlives the power",
        outlives("safe"),
        Ok(*b"kept"),
    );
    fifos_that_come_and_go();
    check::done();
}

fn fifos_that_come_and_go() {
    let files = Files::connect("safe").unwrap();
    let pipes = Pipes::connect("safe").unwrap();
    let file = files.open("fail", Options::new().read().write().create());
    let file = file.unwrap();
    file.write(&FAIL_NEXT).unwrap();
    drop(file);
    let fail_next = || {
        let file = files.open("fail", Options::new().read()).unwrap();
        file.read(&mut [0; 4]).unwrap();
    };
    files.create_fifo("first").unwrap();
    let reader = pipes.reader("first").unwrap();
    fail_next();
    let removed = files.remove("first");
    let found = files.stat("first").map(drop);
    equal(
        "a FIFO can be removed though the card says that it has failed",
        (removed, found),
        (Err(FileError::Io), Err(FileError::NotFound)),
    );
    let soon = Deadline::At(Instant::now() + Duration::from_millis(5));
    equal(
        "and who waits at it for somebody goes on",
        reader.meet(soon),
        Ok(()),
    );
    drop(reader);
    files.create_fifo("second").unwrap();
    let reader = pipes.reader("second").unwrap();
    fail_next();
    let removed = files.remove("second");
    fail_next();
    let made = files.create_fifo("third");
    let found = files.stat("third").map(drop);
    equal(
        "so can one be made, with the number that the other one had",
        (removed, made, found),
        (Err(FileError::Io), Err(FileError::Io), Ok(())),
    );
    let writer = pipes.try_writer("third").map(drop);
    equal(
        "and it is another one, which nobody reads",
        writer,
        Err(PipeError::Nobody),
    );
    drop(reader);
}

/// The first mount has failed already, as has one after what is written here. What is there then.
fn outlives(name: &'static str) -> Result<[u8; 4], FileError> {
    let mut files = Files::connect(name)?;
    let file = files.open("kept", Options::new().write().create())?;
    file.write(b"kept")?;
    file.sync()?;
    drop(file);
    riposte::process(name).unwrap().restart();
    files.reconnect()?;
    let file = files.open("kept", Options::new().read())?;
    let mut bytes = [0; 4];
    file.read(&mut bytes)?;
    Ok(bytes)
}
