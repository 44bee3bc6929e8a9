//! The server ends and starts again.

use check::{equal, holds};
use riposte::{Connection, Text};
use riposte_log::Reader;

use crate::{is_next, next, order, reader, tell};

pub fn lives(log: &mut Reader, talker: &Connection) {
    let server = riposte::process("logs").unwrap();
    let first = next(&mut reader()).ok().flatten().expect("some were said");
    server.restart();
    is_next(
        log,
        "a server that starts again says so, behind all that was there",
        "the log server has started again",
    );
    let again = next(&mut reader()).ok().flatten().expect("it was kept");
    equal(
        "what was said before a restart is there after it",
        (again.text(), again.entry.record),
        (first.text(), first.entry.record),
    );
    tell(talker, order::HELLO, 8);
    is_next(log, "a writer finds the next life", "hello 8");
    server.stop();
    for number in 9..12 {
        tell(talker, order::HELLO, number);
    }
    holds("a server that is stopped reads nothing", next(log).is_err());
    server.restart();
    tell(talker, order::HELLO, 12);
    let said = next(log).ok().flatten().expect("it has started again");
    let mut room = [0; 8];
    let mut name = Text::new(&mut room);
    let named = log.name(&said.entry.record, &mut name);
    equal(
        "its own records are its own",
        (named, name.as_str()),
        (Ok(()), "log"),
    );
    is_next(
        log,
        "what a writer could not say is counted",
        "3 records did not reach the log server",
    );
    is_next(log, "and what it can say follows", "hello 12");
}
