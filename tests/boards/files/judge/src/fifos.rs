//! FIFOs: names among the files, and pipes to whoever opens them.

use check::{equal, holds};
use riposte::{Connection, Error};
use riposte_files::{FileError, Files, Kind, Options};
use riposte_pipe::{PipeError, Pipes};

use crate::NEW;
use crate::others::{die, order, tell};

/// Longer than the name of a pipe may be.
pub(crate) const PATH: &str = "streams/from one to another";
/// Bytes of a FIFO, by the manifest of the server that has them.
const CAPACITY: usize = 256;

pub(crate) fn fifos(files: &mut Files) {
    if !crate::hostile::has_fifos() {
        let refused = files.create_fifo("fifo");
        equal(
            "a server without pipes has no FIFOs",
            refused,
            Err(FileError::NotSupported),
        );
        let pipes = Pipes::connect("files").unwrap();
        let refused = pipes.make_unnamed(1).map(drop);
        let unsupported = Err(PipeError::Other(
            riposte_files::protocol::status::NOT_SUPPORTED,
        ));
        equal("and no pipes", refused, unsupported);
        return;
    }
    files.create_dir("streams").unwrap();
    let entries = files.space().unwrap().entries;
    equal("a FIFO is made", files.create_fifo(PATH), Ok(()));
    let stat = files.stat(PATH).map(|it| (it.kind, it.size));
    equal("and is one", stat, Ok((Kind::Pipe, 0)));
    let left = files.space().unwrap().entries;
    equal("that counts as a file does", entries - left, 1);
    equal("once", files.create_fifo(PATH), Err(FileError::Exists));
    let opened = files.open(PATH, Options::new().read()).map(drop);
    equal("no file of bytes", opened, Err(FileError::IsFifo));
    let opened = files.open(PATH, NEW.append()).map(drop);
    equal("nor one to be made", opened, Err(FileError::IsFifo));
    rights(files);
    streams();
    deaths();
    outlives(files);
    equal("it is removed as a file is", files.remove(PATH), Ok(()));
    files.remove("streams").unwrap();
}

/// What comes by a badge of those that change nothing.
fn rights(files: &Files) {
    let reader = Files::connect("files-reader").unwrap();
    let refused = reader.create_fifo("streams/new");
    equal(
        "who may change nothing makes none",
        refused,
        Err(FileError::ReadOnly),
    );
    let pipes = Pipes::connect("files-reader").unwrap();
    let refused = pipes.writer(PATH).map(drop);
    equal("and writes none", refused, Err(PipeError::NotYours));
    let refused = pipes.remove(PATH);
    equal("nor removes one", refused, Err(PipeError::NotYours));
    holds("but reads", pipes.reader(PATH).is_ok());
    holds("and it is there", files.stat(PATH).is_ok());
}

fn streams() {
    let pipes = Pipes::connect("files").unwrap();
    equal("its capacity", pipes.capacity(PATH), Ok(CAPACITY));
    let refused = pipes.reader("streams").map(drop);
    equal(
        "a directory is no pipe",
        refused,
        Err(PipeError::NoSuchPipe),
    );
    let refused = pipes.try_writer(PATH).map(drop);
    equal("nobody reads yet", refused, Err(PipeError::Nobody));
    let reader = pipes.reader(PATH).unwrap();
    let writer = pipes.try_writer(PATH).unwrap();
    let long = [7; 2 * CAPACITY];
    equal("as much as it holds", writer.try_write(&long), Ok(CAPACITY));
    let mut room = [0; 2 * CAPACITY];
    equal("is read", reader.read(&mut room), Ok(CAPACITY));
    holds("as it was", room[..CAPACITY] == long[..CAPACITY]);
    equal("a few bytes", writer.write(b"left behind"), Ok(11));
    drop((reader, writer));
    let reader = pipes.reader(PATH).unwrap();
    equal(
        "are gone with the last end",
        reader.try_read(&mut room),
        Err(PipeError::TimedOut),
    );
}

/// Who has an end dies.
fn deaths() {
    let mut other: Connection = riposte::connect("other").unwrap();
    let pipes = Pipes::connect("files").unwrap();
    let reader = pipes.reader(PATH).unwrap();
    let mut room = [0; 8];
    for life in 0..3 {
        // It opens its end, and writes; and is ended with what it wrote on the way.
        equal("another one writes", tell(&other, order::WRITE), Ok(1));
        die(&mut other);
        let read = reader.read(&mut room);
        equal("what the dead has written", (life, read), (life, Ok(3)));
        holds("is there", room[..3] == *b"abc");
        equal("and then the end", reader.read(&mut room), Ok(0));
    }
}

/// The server ends.
fn outlives(files: &mut Files) {
    let pipes = Pipes::connect("files").unwrap();
    let reader = pipes.reader(PATH).unwrap();
    let writer = pipes.writer(PATH).unwrap();
    let _ = writer.write(b"lost");
    riposte::process("files").unwrap().restart();
    let died = Err(PipeError::Kernel(Error::ServerDied));
    equal("a server's end", reader.read(&mut [0; 8]), died);
    drop((reader, writer));
    files.reconnect().unwrap();
    let kind = files.stat(PATH).map(|it| it.kind);
    equal("leaves the FIFO", kind, Ok(Kind::Pipe));
    let pipes = Pipes::connect("files").unwrap();
    let reader = pipes.reader(PATH).unwrap();
    equal(
        "and nothing in it",
        reader.try_read(&mut [0; 8]),
        Err(PipeError::TimedOut),
    );
}
