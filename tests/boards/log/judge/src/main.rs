//! Reads the log, and judges what it finds.
#![no_std]

mod floods;
mod lives;
mod waiting;

use check::{equal, holds};
use riposte::interface::CallError;
use riposte::{Connection, Instant, Text};
use riposte_log::{Entry, LONGEST, ReadError, Reader};

/// What a writer can be told.
mod order {
    pub const HELLO: u32 = 0;
    pub const PART: u32 = 1;
    pub const DEBUG: u32 = 2;
    pub const LONG: u32 = 3;
    pub const FLOOD: u32 = 4;
    pub const LEVEL: u32 = 5;
    pub const READ: u32 = 6;
    pub const LATE: u32 = 7;
}

/// A record with its text.
struct Said {
    entry: Entry,
    room: [u8; LONGEST],
    length: usize,
}

impl Said {
    fn text(&self) -> &str {
        core::str::from_utf8(&self.room[..self.length]).unwrap()
    }
}

/// The next record, if there is one.
fn next(log: &mut Reader) -> Result<Option<Said>, CallError<ReadError>> {
    let mut room = [0; LONGEST];
    let mut text = Text::new(&mut room);
    let entry = log.try_next(&mut text)?;
    let length = text.as_str().len();
    Ok(entry.map(|entry| Said {
        entry,
        room,
        length,
    }))
}

/// The text of the next record.
fn is_next(log: &mut Reader, name: &str, expected: &str) {
    match next(log) {
        Ok(Some(said)) => equal(name, said.text(), expected),
        other => equal(name, other.map(drop), Ok(())),
    }
}

/// Has a writer do something.
fn tell(writer: &Connection, order: u32, number: u32) -> u32 {
    let reply = writer.send_words([order, number]).unwrap();
    reply.words[0]
}

fn reader() -> Reader {
    Reader::new(riposte::connect("log").unwrap())
}

#[riposte::main]
fn main() {
    let talker = riposte::connect("talker").unwrap();
    let flooder = riposte::connect("flooder").unwrap();
    let mut log = reader();
    records(&mut log, &talker);
    refusals(&mut log, &flooder);
    waiting::waiting(&mut log, &talker);
    lives::lives(&mut log, &talker);
    floods::floods(&talker, &flooder);
    check::done();
}

fn records(log: &mut Reader, talker: &Connection) {
    holds("a log begins empty", matches!(next(log), Ok(None)));
    let before = Instant::now().as_nanos();
    tell(talker, order::HELLO, 7);
    let after = Instant::now().as_nanos();
    let said = next(log).ok().flatten().expect("it was said");
    equal("a record has its text", said.text(), "hello 7");
    let record = said.entry.record;
    equal("and its level", record.level, 3);
    holds("and the time", (before..=after).contains(&record.time));
    let mut room = [0; 16];
    let mut name = Text::new(&mut room);
    let named = log.name(&record, &mut name);
    equal(
        "and whose it is",
        (named, name.as_str()),
        (Ok(()), "talker"),
    );
    equal("nothing was lost", said.entry.lost, 0);
    tell(talker, order::PART, 0);
    is_next(log, "a part of a program says which", "part: from a part");
    is_next(log, "so does a target", "radio: of something else");
    tell(talker, order::DEBUG, 0);
    holds(
        "what the level leaves out is not said",
        matches!(next(log), Ok(None)),
    );
    tell(talker, order::LONG, 0);
    let said = next(log).ok().flatten().expect("it was said");
    let (text, level) = (said.text(), said.entry.record.level);
    let is_cut = text.len() == LONGEST - 1 && text.ends_with('ü');
    holds("a long text is cut between two letters", is_cut);
    equal("an error is an error", level, 1);
    let mut room = [0; 4];
    let mut text = Text::new(&mut room);
    let again = reader().try_next(&mut text).map(|it| it.is_some());
    equal(
        "a text comes as far as there is room",
        (again, text.as_str()),
        (Ok(true), "hell"),
    );
}

fn refusals(log: &mut Reader, flooder: &Connection) {
    for level in [0, 6, u32::MAX] {
        let refused = tell(flooder, order::LEVEL, level);
        equal("a level that is none is refused", refused, 1);
    }
    let refused = tell(flooder, order::READ, 0);
    equal("who may write may not read", refused, 1);
    let is_as_before = matches!(next(log), Ok(None));
    holds("what is refused leaves no record", is_as_before);
    let mut room = [0; 16];
    let mut record = next(&mut reader()).ok().flatten().expect("some were said");
    record.entry.record.client = 3;
    let named = log.name(&record.entry.record, &mut Text::new(&mut room));
    holds(
        "nobody has a number that the manifest gives nobody",
        matches!(named, Err(CallError::Application(_))),
    );
}
