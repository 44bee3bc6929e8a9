//! Pipes that are made while the server runs.

use core::fmt::Write as _;

use check::{equal, holds};
use embedded_io::{ReadReady, WriteReady};
use riposte::{Deadline, Text};
use riposte_pipe::{PipeError, PipeId, Pipes, Writer};

use crate::{reads, shortly};

/// Bytes of such a pipe, at most.
const CAPACITY: usize = 32;

/// Says what `made` and the other functions here leave behind: nothing, or the next one could not make its pipes.
pub(crate) fn made(pipes: &Pipes) {
    for (name, capacity, refused) in [
        ("own", 1, PipeError::Taken),
        ("", 1, PipeError::BadName),
        ("seventeen letters", 1, PipeError::BadName),
        ("fifo", 0, PipeError::BadCapacity),
        ("fifo", CAPACITY + 1, PipeError::BadCapacity),
        ("fifo", usize::MAX, PipeError::BadCapacity),
    ] {
        let found = pipes.make(name, capacity);
        equal("what can't be made is refused", found, Err(refused));
    }
    equal("a pipe is made", pipes.make("fifo", CAPACITY), Ok(()));
    let again = pipes.make("fifo", 1);
    equal("once", again, Err(PipeError::Taken));
    equal("another one", pipes.make("other", CAPACITY), Ok(()));
    let third = pipes.make("third", 1);
    equal("as many as it may", third, Err(PipeError::TooManyPipes));

    let (write, read) = (pipes.writer("fifo").unwrap(), pipes.reader("fifo").unwrap());
    let other = pipes.writer("other").unwrap();
    let _ = other.write(&[b'#'; CAPACITY]);
    let (first, second) = (b"twenty-four bytes, first", b"twenty-four more of them");
    equal("it carries bytes", write.write(first), Ok(24));
    holds("as they were", reads_all(&read, first));
    let _ = write.write(second);
    holds("round its end, beside a full one", reads_all(&read, second));

    equal("it is removed", pipes.remove("fifo"), Ok(()));
    let gone = Err(PipeError::NoSuchPipe);
    equal("once only", pipes.remove("fifo"), gone);
    equal("nobody opens it", pipes.reader("fifo").map(drop), gone);
    equal("who has an end keeps it", write.write(b"kept"), Ok(4));
    holds("and so does the other side", reads(&read, b"kept"));
    let counted = pipes.make("third", 1);
    equal(
        "it counts until then",
        counted,
        Err(PipeError::TooManyPipes),
    );
    drop(write);
    equal("its end is told", read.read(&mut [0; 4]), Ok(0));
    drop(read);
    // Whatever the order and the sizes, there is room.
    let mut all = true;
    for n in 0..100 {
        all &= pipes.make("again", n % CAPACITY + 1).is_ok() && pipes.remove("again").is_ok();
    }
    holds("there is room as often as it is left", all);
    drop(other);
    equal("all is back", pipes.remove("other"), Ok(()));
    let manifest = pipes.remove("own");
    equal("the manifest's stay", manifest, Err(PipeError::NotYours));
}

fn reads_all(read: &riposte_pipe::Reader<'_>, expected: &[u8; 24]) -> bool {
    let (mut bytes, mut length) = ([0; 24], 0);
    // In two pieces, where the ring ends.
    while let Ok(more @ 1..) = read.try_read(&mut bytes[length..]) {
        length += more;
    }
    bytes == *expected
}

pub(crate) fn unnamed(pipes: &Pipes) {
    let id = pipes.make_unnamed(8).unwrap();
    let mut room = [0; 16];
    let mut text = Text::new(&mut room);
    let _ = write!(text, "{id}");
    let text = text.as_str();
    equal("a number is handed on as text", text.parse(), Ok(id));
    let wrong = ["", "1234567", "123456789", "+1234567", "1234567g"];
    let wrong = wrong.iter().all(|text| text.parse::<PipeId>().is_err());
    holds("and no other text is one", wrong);

    let mut write = pipes.writer_of(id).unwrap();
    equal("there is room for all", write.ready(), Ok(8));
    let _ = write.write(b"for later");
    equal("there is none", write.ready(), Err(PipeError::TimedOut));
    equal("and who asks is told", write.write_ready(), Ok(false));
    drop(write);
    let mut read = pipes.reader_of(id).unwrap();
    equal("what is there is counted", read.ready(), Ok(8));
    holds("who comes later reads it", reads(&read, b"for late"));
    equal("then there is the end", read.ready(), Ok(0));
    equal("which is no waiting", read.read_ready(), Ok(true));
    drop(read);
    let gone = Err(PipeError::NoSuchPipe);
    equal("it is gone with both", pipes.reader_of(id).map(drop), gone);
    equal("for its maker, too", pipes.remove_unnamed(id), gone);

    let id = pipes.make_unnamed(8).unwrap();
    let mut read = pipes.reader_of(id).unwrap();
    equal("nothing is there", read.ready(), Err(PipeError::TimedOut));
    equal("who reads would wait", read.read_ready(), Ok(false));
    let mut write = pipes.writer_of(id).unwrap();
    drop(read);
    equal("nobody reads", write.ready(), Err(PipeError::NoReader));
    equal("which is no waiting either", write.write_ready(), Ok(true));
    drop(write);
    let id = pipes.make_unnamed(8).unwrap();
    equal("its maker removes it", pipes.remove_unnamed(id), Ok(()));
    equal("and it is gone", pipes.writer_of(id).map(drop), gone);
}

/// Who looks, who comes only if somebody reads, and who waits for others or for one of several ends. (One of this
/// client's threads may wait: a request that waits is refused at once, if another one does.)
pub(crate) fn watched(pipes: &Pipes) {
    let late = Err(PipeError::TimedOut);
    equal(
        "who looks learns what it holds",
        pipes.capacity("own"),
        Ok(8),
    );
    let none = Err(PipeError::NoSuchPipe);
    equal(
        "what is not there holds nothing",
        pipes.capacity("none"),
        none,
    );
    let nobody = Err(PipeError::Nobody);
    equal("nobody reads", pipes.try_writer("own").map(drop), nobody);
    let read = pipes.reader("own").unwrap();
    equal("the first writer is waited for", read.meet(shortly()), late);
    equal("nothing comes", pipes.watch(&[read.id()], shortly()), late);
    let now = Deadline::Immediate;
    equal("who does not wait is told at once", read.meet(now), late);
    let none_yet = pipes.watch(&[read.id()], now);
    equal("nor does who looks at several", none_yet, late);
    let write = pipes.try_writer("own").unwrap();
    equal("it has come", read.meet(shortly()), Ok(()));
    equal("which is seen without waiting", read.meet(now), Ok(()));
    let both = [read.id(), write.id()];
    equal("there is room", pipes.watch(&both, shortly()), Ok(()));
    equal("at once", pipes.watch(&both, now), Ok(()));
    equal("there is no byte", pipes.watch(&both[..1], shortly()), late);
    let _ = write.write(b"12345678");
    equal("there is one", pipes.watch(&both, shortly()), Ok(()));
    equal("there is no room", pipes.watch(&both[1..], shortly()), late);
    let bad = Err(PipeError::BadRequest);
    equal("nothing is watched", pipes.watch(&[], shortly()), bad);
    equal("too much is", pipes.watch(&[read.id(); 17], shortly()), bad);
    drop(read);
    equal(
        "an error is told",
        pipes.watch(&both[1..], shortly()),
        Ok(()),
    );
    equal(
        "a closed end is one",
        pipes.watch(&both[..1], shortly()),
        Ok(()),
    );
}

/// A maker that ends while another process waits at its pipes: once to read, and once, in its next life, to write.
pub(crate) fn makers_end(pipes: &Pipes) {
    let id = told(pipes);
    {
        let (fifo, read) = (pipes.reader("made").unwrap(), pipes.reader_of(id).unwrap());
        let not_yours = Err(PipeError::NotYours);
        equal("only its maker removes it", pipes.remove("made"), not_yours);
        equal("by number, too", pipes.remove_unnamed(id), not_yours);
        let _go = end_maker(pipes);
        equal("a maker's end ends waiting", read.read(&mut [0; 4]), Ok(0));
        equal("at each of its pipes", fifo.read(&mut [0; 4]), Ok(0));
    }
    let gone = Err(PipeError::NoSuchPipe);
    equal("they end with it", pipes.writer("made").map(drop), gone);
    equal("all of them", pipes.writer_of(id).map(drop), gone);

    riposte::process("maker").unwrap().restart();
    let next = told(pipes);
    holds("its next life makes as many, and others", next != id);
    let write = pipes.writer_of(next).unwrap();
    let _ = write.write(b"full");
    let _go = end_maker(pipes);
    let found = write.write(b"x");
    equal("nobody will read", found, Err(PipeError::NoReader));
}

/// The number of the pipe that the maker has made.
fn told(pipes: &Pipes) -> PipeId {
    let mut text = [0; 8];
    let length = pipes.reader("told").unwrap().read(&mut text).unwrap();
    let text = core::str::from_utf8(&text[..length]).unwrap_or_default();
    text.parse().unwrap()
}

/// Tells the maker to end. It is less urgent: it does when this process waits, and finds what was written as long as
/// the end is open.
fn end_maker(pipes: &Pipes) -> Writer<'_> {
    let go = pipes.writer("go").unwrap();
    go.write(b"x").unwrap();
    go
}
