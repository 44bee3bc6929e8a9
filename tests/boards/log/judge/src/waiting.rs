//! Readers that wait for the next record.

use check::{equal, holds};
use riposte::interface::CallError;
use riposte::thread::{self, Settings};
use riposte::{Connection, Deadline, Duration, Error, Instant, Text};
use riposte_log::{ReadError, Reader};

use crate::{next, order, reader, tell};

/// As many as the server keeps waiting.
const READERS: usize = 8;

fn shortly() -> Deadline {
    Deadline::At(Instant::now() + Duration::from_millis(1))
}

/// A reader that waits for the next record. Its exit value is 1 if it gets one.
fn wait(_: usize) -> u32 {
    let mut log = reader();
    while let Ok(Some(_)) = next(&mut log) {}
    let mut room = [0; 16];
    let mut text = Text::new(&mut room);
    let said = log.next(&mut text).is_ok();
    u32::from(said && text.as_str() == "late 2")
}

pub fn waiting(log: &mut Reader, talker: &Connection) {
    let mut room = [0; 16];
    let mut text = Text::new(&mut room);
    let found = log.next_until(&mut text, shortly());
    equal(
        "a reader leaves at its deadline",
        found.map(drop),
        Err(CallError::Kernel(Error::TimedOut)),
    );
    let mut deaf = Reader::new(riposte::connect("deaf").unwrap());
    let found = deaf.next_until(&mut text, shortly());
    equal(
        "also if the server does not answer",
        found.map(drop),
        Err(CallError::Kernel(Error::TimedOut)),
    );
    let found = log.next_until(&mut text, Deadline::Immediate);
    equal(
        "one without time looks, and leaves",
        found.map(drop),
        Err(CallError::Kernel(Error::TimedOut)),
    );
    tell(talker, order::LATE, 1);
    let found = log.next(&mut text).map(|entry| entry.lost);
    equal(
        "a reader waits for the next record",
        (found, text.as_str()),
        (Ok(0), "late 1"),
    );
    // More urgent than this thread, so that each waits when it is there. One has left the server at its deadline.
    let crowd = [0; READERS].map(|_| thread::spawn(wait, 0, Settings::new(13)).unwrap());
    let found = log.next_until(&mut text, shortly());
    let refused = Err(CallError::Application(ReadError::TooManyWait));
    equal("one too many is refused", found.map(drop), refused);
    tell(talker, order::LATE, 2);
    let came = crowd.map(|reader| reader.join());
    equal("all who wait go on", came, [Ok(1); READERS]);
    let found = log.next_until(&mut text, Deadline::Immediate);
    holds(
        "and the one who was refused finds it, without time",
        found.is_ok(),
    );
}
