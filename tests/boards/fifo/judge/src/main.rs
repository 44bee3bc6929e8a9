//! Writes to a FIFO at one node and reads from it at the other.
#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU32, Ordering};

use check::{equal, holds};
use riposte::thread::{self, JoinHandle, Settings};
use riposte::{Duration, Instant};
use riposte_pipe::{PipeError, Pipes, Reader};

/// Bytes that the writing thread writes, and what came of it: how many it has written, and whether somebody read.
static TOTAL: AtomicU32 = AtomicU32::new(0);
static WRITTEN: AtomicU32 = AtomicU32::new(0);
static REFUSED: AtomicU32 = AtomicU32::new(0);

/// The byte at a place of what is written.
fn byte_at(place: u32) -> u8 {
    (place * 7 + place / 251) as u8
}

/// Writes in pieces of many sizes, and closes its end.
fn write(_: usize) -> u32 {
    let pipes = Pipes::connect("near-pipes").unwrap();
    let samples = pipes.writer("samples").unwrap();
    let total = TOTAL.load(Ordering::Relaxed);
    let (mut place, mut turn) = (0, 1);
    while place < total {
        let length = (turn * 37 % 200 + 1).min(total - place);
        turn += 1;
        let mut piece = [0; 200];
        let piece = &mut piece[..length as usize];
        (place..)
            .zip(piece.iter_mut())
            .for_each(|(place, it)| *it = byte_at(place));
        match samples.write(piece) {
            Ok(count) => place += count as u32,
            Err(PipeError::NoReader) => {
                REFUSED.fetch_add(1, Ordering::Relaxed);
                break;
            }
            Err(error) => panic!("{error}"),
        }
        WRITTEN.store(place, Ordering::Relaxed);
    }
    0
}

fn writes(total: u32) -> JoinHandle {
    TOTAL.store(total, Ordering::Relaxed);
    WRITTEN.store(0, Ordering::Relaxed);
    REFUSED.store(0, Ordering::Relaxed);
    thread::spawn(write, 0, Settings::new(8)).unwrap()
}

/// Reads until the end: how many bytes, and whether they were those that are written.
fn read_all(samples: &Reader<'_>) -> (u32, bool) {
    read_on(samples, 0)
}

/// As that, behind so many bytes.
fn read_on(samples: &Reader<'_>, mut place: u32) -> (u32, bool) {
    let mut is_right = true;
    let mut bytes = [0; 97];
    loop {
        match samples.read_until(&mut bytes, Instant::now() + Duration::from_secs(20)) {
            Ok(0) => return (place, is_right),
            Ok(length) => {
                for byte in &bytes[..length] {
                    is_right &= *byte == byte_at(place);
                    place += 1;
                }
            }
            Err(error) => {
                riposte::println!("after {place} bytes: {error}");
                return (place, false);
            }
        }
    }
}

fn harm(words: [u32; 5]) {
    riposte::connect("wire").unwrap().send_words(words).unwrap();
}

fn pause(millis: u64) {
    let _ = riposte::sleep(Duration::from_millis(millis));
}

#[riposte::main]
fn main() {
    let far = Pipes::connect("far-pipes").unwrap();
    let leaver = riposte::process("leaver").unwrap();
    leaver.stop();
    pause(5000);
    bytes(&far);
    bad_wire(&far);
    late_pieces(&far);
    readers_end(&far);
    writers_death(&far);
    cut(&far);
    ends_of_carriers(&far);
    ends_of_names(&far);
    check::done();
}

fn bytes(far: &Pipes) {
    for total in [1, 19, 128, 5000] {
        let samples = far.reader("samples").unwrap();
        let writer = writes(total);
        equal(
            "all that is written at one node is read at the other, and then the end is found",
            read_all(&samples),
            (total, true),
        );
        let _ = writer.join();
        pause(200);
    }
    let leaver = riposte::process("leaver").unwrap();
    leaver.restart();
    pause(1000);
    let samples = far.reader("samples").unwrap();
    let mut bytes = [0; 50];
    equal(
        "who reads late finds what was written early",
        samples.read(&mut bytes),
        Ok(4),
    );
    leaver.stop();
    equal("and then the end", samples.read(&mut bytes), Ok(0));
    drop(samples);
    pause(200);
}

fn bad_wire(far: &Pipes) {
    harm([10, 15, 15, 10, 5]);
    let samples = far.reader("samples").unwrap();
    let writer = writes(4000);
    equal(
        "at a bad wire no byte is lost, comes twice, or overtakes another",
        read_all(&samples),
        (4000, true),
    );
    let _ = writer.join();
    harm([0, 0, 0, 0, 1]);
    pause(200);
}

/// Says what a sender says (`servers/fifo/src/main.rs`).
fn say(head: [u32; 3], bytes: &[u8]) -> Result<u32, riposte::Status> {
    let brings = riposte::connect("brings").unwrap();
    let mut request = [0; 16];
    let words = head.map(u32::to_le_bytes);
    let all = words.as_flattened().iter().chain(bytes);
    request
        .iter_mut()
        .zip(all)
        .for_each(|(to, from)| *to = *from);
    let mut answer = [0; 4];
    let reply = brings
        .send(&request[..12 + bytes.len()], &mut answer)
        .unwrap();
    match reply.status {
        riposte::Status::OK => Ok(u32::from_le_bytes(answer)),
        why => Err(why),
    }
}

fn late_pieces(far: &Pipes) {
    const BEGIN: u32 = 0;
    const PIECE: u32 = 1;
    const END: u32 = 2;
    let carries = riposte::process("carries").unwrap();
    carries.stop();
    let samples = far.reader("samples").unwrap();
    let stream = say([BEGIN, 0, 1], b"").unwrap();
    let piece = |number, bytes: &[u8]| say([PIECE, stream, number], bytes);
    equal("a piece is taken", piece(1, b"ab"), Ok(2));
    equal("that comes twice is told of twice", piece(1, b"ab"), Ok(2));
    equal("and the next one is taken", piece(2, b"cd"), Ok(2));
    holds("one that is late is not", piece(1, b"ab").is_err());
    let late = say([BEGIN, 0, 1], b"");
    holds("nor does a late beginning begin anew", late.is_err());
    equal("and nothing is ended", say([END, stream, 3], b""), Ok(0));
    let mut bytes = [0; 50];
    let length = samples.read(&mut bytes).unwrap();
    equal("no byte is read twice", &bytes[..length], &b"abcd"[..]);
    equal("behind them is the end", samples.read(&mut bytes), Ok(0));
    drop(samples);
    carries.restart();
    pause(1000);
    again(far, "and the sender goes on");
}

fn readers_end(far: &Pipes) {
    let samples = far.reader("samples").unwrap();
    let writer = writes(100_000);
    let mut bytes = [0; 50];
    holds("somebody reads", samples.read(&mut bytes).is_ok());
    // It does not read: the writer waits for room, and not longer than that.
    pause(4000);
    let written = WRITTEN.load(Ordering::Relaxed);
    holds(
        "who writes waits for who reads",
        written < 2500 && REFUSED.load(Ordering::Relaxed) == 0,
    );
    drop(samples);
    let _ = writer.join();
    equal(
        "the last reader's end is told to who writes",
        REFUSED.load(Ordering::Relaxed),
        1,
    );
    pause(200);
    again(far, "and the next ones find each other");
}

fn again(far: &Pipes, what: &str) {
    let samples = far.reader("samples").unwrap();
    let writer = writes(300);
    equal(what, read_all(&samples), (300, true));
    let _ = writer.join();
    pause(200);
}

fn writers_death(far: &Pipes) {
    let leaver = riposte::process("leaver").unwrap();
    let samples = far.reader("samples").unwrap();
    leaver.restart();
    let mut bytes = [0; 50];
    equal("a writer that lives", samples.read(&mut bytes), Ok(4));
    let wait = Instant::now() + Duration::from_millis(4500);
    equal(
        "and is silent is no end, however long",
        samples.read_until(&mut bytes, wait),
        Err(PipeError::TimedOut),
    );
    leaver.stop();
    let begin = Instant::now();
    equal("its death is one", samples.read(&mut bytes), Ok(0));
    holds(
        "that is told at once",
        begin.elapsed() < Duration::from_millis(100),
    );
    drop(samples);
    pause(200);
}

fn cut(far: &Pipes) {
    let samples = far.reader("samples").unwrap();
    let writer = writes(100_000);
    let mut bytes = [0; 50];
    holds("bytes come", samples.read(&mut bytes).is_ok());
    harm([100, 0, 0, 0, 1]);
    let begin = Instant::now();
    let (_, _) = read_all(&samples);
    holds(
        "who reads finds the end if the other node is gone for three seconds",
        begin.elapsed() < Duration::from_millis(4000),
    );
    let _ = writer.join();
    equal(
        "and who writes learns it",
        REFUSED.load(Ordering::Relaxed),
        1,
    );
    harm([0, 0, 0, 0, 1]);
    drop(samples);
    pause(4000);
    again(far, "when it is there again they go on");
}

fn ends_of_carriers(far: &Pipes) {
    for name in ["carries", "brings", "two"] {
        let samples = far.reader("samples").unwrap();
        let writer = writes(100_000);
        let mut bytes = [0; 50];
        let first = samples.read(&mut bytes).unwrap();
        riposte::process(name).unwrap().restart();
        let begin = Instant::now();
        let (_, is_right) = read_on(&samples, first as u32);
        holds("no byte comes twice or overtakes another", is_right);
        holds(
            "the end of who carries it is that of the stream",
            begin.elapsed() < Duration::from_millis(8000),
        );
        drop(samples);
        let _ = writer.join();
        pause(6000);
        again(far, "and the next stream goes on");
    }
}

/// The names server ends twice before who carries a stream looks: it waits for room meanwhile.
fn ends_of_names(far: &Pipes) {
    let names = riposte::process("names").unwrap();
    let samples = far.reader("samples").unwrap();
    let writer = writes(3000);
    let mut bytes = [0; 50];
    let first = samples.read(&mut bytes).unwrap();
    pause(200);
    names.restart();
    names.stop();
    equal(
        "a stream goes on though the names server has ended twice",
        read_on(&samples, first as u32),
        (3000, true),
    );
    drop(samples);
    let _ = writer.join();
    names.restart();
    pause(6000);
    again(
        far,
        "and the next one finds its way by the next life's names",
    );
}
