//! Another process takes all that it can of what a manager has. What is this one's share is still there.
#![no_std]

use check::{equal, holds};
use riposte::console::{self, ReadError};
use riposte::thread::{self, Settings};
use riposte::{Connection, Deadline, Duration, Instant, Text};
use riposte_log::{LogClient, Reader};
use riposte_queue::{QueueError, Queues};

/// Threads of the hog.
const THREADS: u32 = 33;
/// Half of the places of the log, the queue and the console server.
const LOG: usize = 4;
const QUEUE: usize = 16;
const CONSOLE: usize = 2;

/// What the hog is told.
mod order {
    pub const LOG: u32 = 0;
    pub const QUEUE: u32 = 1;
    pub const CONSOLE: u32 = 2;
    pub const MAKE: u32 = 3;
    pub const REFUSED: u32 = 4;
}

#[riposte::main]
fn main() {
    log();
    queue();
    console();
    queues();
    check::done();
}

/// The hog's next life.
fn hog() -> Connection {
    riposte::process("hog").unwrap().restart();
    riposte::connect("hog").unwrap()
}

fn order(hog: &Connection, what: u32) -> u32 {
    hog.send_words([what]).unwrap().words[0]
}

/// Has a hog wait with all of its threads, where there are so many places.
fn crowds(what: u32, places: usize) -> Connection {
    let hog = hog();
    equal(
        "a process waits with all its threads",
        order(&hog, what),
        THREADS,
    );
    let refused = THREADS - places as u32;
    equal(
        "as many as there are places are kept",
        order(&hog, order::REFUSED),
        refused,
    );
    hog
}

/// So many of its threads have lost their places by now.
fn has_lost(hog: &Connection, places: usize, lost: usize) {
    let refused = THREADS - places as u32 + lost as u32;
    equal(
        "those that it had too many are told",
        order(hog, order::REFUSED),
        refused,
    );
}

fn shortly() -> Deadline {
    Deadline::At(Instant::now() + Duration::from_millis(1))
}

fn log() {
    fn wait(_: usize) -> u32 {
        let mut log = Reader::new(riposte::connect("log").unwrap());
        u32::from(log.next(&mut Text::new(&mut [0; 16])).is_ok())
    }
    let hog = crowds(order::LOG, 2 * LOG);
    let waiting = [(); LOG].map(|()| thread::spawn(wait, 0, Settings::new(9)).unwrap());
    has_lost(&hog, 2 * LOG, LOG);
    let log = LogClient::new(riposte::connect("writes").unwrap());
    holds("a record is written", log.write(3, "here").is_ok());
    let came = waiting.map(|reader| reader.join());
    equal(
        "its share of the log's places is another process's",
        came,
        [Ok(1); LOG],
    );
}

fn queue() {
    fn wait(_: usize) -> u32 {
        let queues = Queues::connect("queues").unwrap();
        let queue = queues.open("judge").unwrap();
        u32::from(queue.receive(&mut [0; 32]) == Ok(3))
    }
    let hog = crowds(order::QUEUE, 2 * QUEUE);
    let waiting = [(); QUEUE].map(|()| thread::spawn(wait, 0, Settings::new(9)).unwrap());
    has_lost(&hog, 2 * QUEUE, QUEUE);
    let queues = Queues::connect("queues").unwrap();
    let queue = queues.open("judge").unwrap();
    // A thread more than its share: none of the other process's gives way.
    let found = queue.receive_until(&mut [0; 32], shortly());
    equal("and no more than that", found, Err(QueueError::TooManyWait));
    for _ in 0..QUEUE {
        equal("a message is put in", queue.send(b"for"), Ok(()));
    }
    let came = waiting.map(|reader| reader.join());
    equal(
        "its share of the queues' places is another process's",
        came,
        [Ok(1); QUEUE],
    );
}

fn console() {
    fn wait(_: usize) -> u32 {
        let end = Instant::now() + Duration::from_millis(1);
        let found = console::read_key_until(end);
        u32::from(found == Err(ReadError::TimedOut))
    }
    let hog = crowds(order::CONSOLE, 2 * CONSOLE);
    let waiting = [(); CONSOLE].map(|()| thread::spawn(wait, 0, Settings::new(9)).unwrap());
    has_lost(&hog, 2 * CONSOLE, CONSOLE);
    let came = waiting.map(|reader| reader.join());
    equal(
        "its share of the console's places is another process's",
        came,
        [Ok(1); CONSOLE],
    );
}

fn queues() {
    let hog = hog();
    equal(
        "a process makes as many queues as it may",
        order(&hog, order::MAKE),
        1,
    );
    let queues = Queues::connect("queues").unwrap();
    // Of what the manifest's queues leave, half.
    let made = queues.create("large", 14, 256).map(drop);
    equal(
        "which leaves another one its own, and the bytes for them",
        made,
        Ok(()),
    );
    let more = queues.create("more", 1, 1).map(drop);
    equal("and no more", more, Err(QueueError::NoRoom));
    let longest = queues.open("large").map(|it| (it.capacity(), it.size()));
    equal("as it was asked for", longest, Ok((14, 256)));
}
