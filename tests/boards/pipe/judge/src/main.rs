//! Uses pipes, alone and with others that end.
#![no_std]

mod made;
mod others;
mod refusals;

use check::{equal, holds};
use core::sync::atomic::{AtomicU32, Ordering};
use riposte::sync::Semaphore;
use riposte::{Deadline, Duration, Instant, Status};
use riposte_pipe::protocol::{operation, status};
use riposte_pipe::{PipeError, Pipes, Reader};

#[riposte::main]
fn main() {
    let mut pipes = Pipes::connect("pipes").unwrap();
    others::deaths(&pipes);
    stream(&pipes);
    long(&pipes);
    waiting(&pipes);
    ends(&pipes);
    made::made(&pipes);
    made::unnamed(&pipes);
    made::watched(&pipes);
    made::makers_end(&pipes);
    others::watchers_end(&pipes);
    ends_of_waiters();
    refusals::refusals(&pipes);
    others::echo(&pipes);
    restart(&mut pipes);
    check::done();
}

pub(crate) fn shortly() -> Deadline {
    Deadline::At(Instant::now() + Duration::from_millis(1))
}

/// Whether these are the bytes that there are.
pub(crate) fn reads(pipe: &Reader<'_>, expected: &[u8]) -> bool {
    let mut bytes = [0; 16];
    let length = pipe.try_read(&mut bytes);
    length == Ok(expected.len()) && bytes[..expected.len()] == *expected
}

fn stream(pipes: &Pipes) {
    let (write, read) = (pipes.writer("own").unwrap(), pipes.reader("own").unwrap());
    for bytes in [b"abc".as_slice(), b"", b"de"] {
        equal("bytes are written", write.write(bytes), Ok(bytes.len()));
    }
    let mut two = [0; 2];
    equal(
        "as many come as there is room for",
        read.read(&mut two),
        Ok(2),
    );
    holds(
        "in their order, however they were written",
        reads(&read, b"cde") && two == *b"ab",
    );
    // Round the end of the ring, and longer than registers hold.
    equal(
        "a pipe takes as much as it holds",
        write.write(b"12345678"),
        Ok(8),
    );
    holds(
        "and gives it at once, though it lies in two pieces here",
        reads(&read, b"12345678"),
    );
}

/// Writes of more bytes than the server receives with a request.
fn long(pipes: &Pipes) {
    let (write, read) = (pipes.writer("long").unwrap(), pipes.reader("long").unwrap());
    let mut bytes = [0; 1500];
    for (n, byte) in bytes.iter_mut().enumerate() {
        *byte = (n * 7 % 251) as u8;
    }
    let mut came = [0; 1500];
    for lap in ["a long write is whole", "also round the end of the ring"] {
        equal(lap, write.try_write(&bytes), Ok(1500));
        equal(
            "another one waits until there is room for all of it",
            write.try_write(&bytes),
            Err(PipeError::TimedOut),
        );
        let length = read.read(&mut came);
        holds(
            "its bytes come in their order",
            length == Ok(1500) && came == bytes,
        );
        came = [0; 1500];
    }
}

fn waiting(pipes: &Pipes) {
    let (write, read) = (pipes.writer("own").unwrap(), pipes.reader("own").unwrap());
    let late = Err(PipeError::TimedOut);
    equal(
        "an empty pipe has nothing",
        read.try_read(&mut [0; 4]),
        late,
    );
    let found = read.read_until(&mut [0; 4], shortly());
    equal("who reads leaves at the deadline", found, late);
    equal("there is room", write.write(b"12345"), Ok(5));
    equal(
        "a write is whole or not at all",
        write.try_write(b"6789"),
        late,
    );
    let found = write.write_until(b"6789", shortly());
    equal("who writes leaves at the deadline", found, late);
    let longer = write.try_write(b"678901234567890123456");
    equal(
        "of more than a pipe holds, a part is written",
        longer,
        Ok(3),
    );
    equal("a full pipe has no room", write.try_write(b"9"), late);
    holds("what was refused is not there", reads(&read, b"12345678"));
}

fn ends(pipes: &Pipes) {
    let read = pipes.reader("own").unwrap();
    let late = Err(PipeError::TimedOut);
    equal(
        "a reader waits for the first writer",
        read.try_read(&mut [0; 4]),
        late,
    );
    let write = pipes.writer("own").unwrap();
    let _ = write.write(b"last");
    drop(write);
    holds("what was written stays", reads(&read, b"last"));
    equal("then comes the end", read.read(&mut [0; 4]), Ok(0));
    let write = pipes.writer("own").unwrap();
    equal("another writer goes on", read.try_read(&mut [0; 4]), late);
    drop(read);
    equal("nobody reads", write.write(b"x"), Err(PipeError::NoReader));
    let read = pipes.reader("own").unwrap();
    equal("another reader does", write.write(b"x"), Ok(1));
    holds("and finds it", reads(&read, b"x"));
}

/// A thread waits at an end that another one closes: as requests, since the library has no end closed that is in use.
fn ends_of_waiters() {
    let server = riposte::connect("pipes").unwrap();
    let mut request = [0; 11];
    request[..4].copy_from_slice(&operation::OPEN_READ.to_le_bytes());
    request[8..].copy_from_slice(b"own");
    let mut end = [0; 4];
    server.send(&request, &mut end).unwrap();
    let end = u32::from_le_bytes(end);
    END.store(end, Ordering::Relaxed);
    BEGIN.give().unwrap();
    // The other one is more urgent: it waits now.
    let one_more = server.send_words([operation::READ, end, 4]).unwrap();
    equal(
        "as many threads wait as may",
        one_more.status,
        status::TOO_MANY_WAIT,
    );
    let closed = server.send_words([operation::CLOSE, end]).unwrap().status;
    equal(
        "an end is closed at which a thread waits",
        closed,
        Status::OK,
    );
    equal(
        "that thread learns it, before the pipe becomes another one's",
        FOUND.load(Ordering::Relaxed),
        status::BAD_END.0,
    );
}

static END: AtomicU32 = AtomicU32::new(0);
static FOUND: AtomicU32 = AtomicU32::new(u32::MAX);
static BEGIN: Semaphore = Semaphore::new(0);

#[riposte::thread]
fn second() -> ! {
    let server = riposte::connect("pipes").unwrap();
    loop {
        BEGIN.take().unwrap();
        let request = [operation::READ, END.load(Ordering::Relaxed), 4];
        if let Ok(reply) = server.send_words(request) {
            FOUND.store(reply.status.0, Ordering::Relaxed);
        }
    }
}

fn restart(pipes: &mut Pipes) {
    let died = Err(PipeError::Kernel(riposte::Error::ServerDied));
    let lost;
    {
        let (write, read) = (pipes.writer("own").unwrap(), pipes.reader("own").unwrap());
        let _ = write.write(b"lost");
        pipes.make("lost", 4).unwrap();
        lost = pipes.make_unnamed(4).unwrap();
        riposte::process("pipes").unwrap().restart();
        equal("a server's end is told", read.read(&mut [0; 4]), died);
    }
    equal("its next life is found", pipes.reconnect(), Ok(()));
    let (write, read) = (pipes.writer("own").unwrap(), pipes.reader("own").unwrap());
    let late = Err(PipeError::TimedOut);
    equal("its pipes are empty", read.try_read(&mut [0; 4]), late);
    let gone = Err(PipeError::NoSuchPipe);
    equal("it has no made pipes", pipes.remove("lost"), gone);
    equal("nor without names", pipes.remove_unnamed(lost), gone);
    equal("its shares are whole", pipes.make("lost", 4), Ok(()));
    let new = pipes.make_unnamed(4);
    holds("its numbers are others", new.is_ok_and(|new| new != lost));
    let _ = write.write(b"new");
    holds("and carry what is written now", reads(&read, b"new"));
}
