//! Gets a connection that the manifest does not give it.
#![no_std]

use check::{equal, holds};
use riposte::{Connection, Error, Status, WordsReply};

#[riposte::main]
fn main() {
    let names = riposte::connect("names").unwrap();
    let (reply, service) = ask(&names, 0);
    equal(
        "a reply with a handle brings four words",
        reply.words[..4] == [1, 2, 3, 4],
        true,
    );
    let Some(service) = service else {
        check::broken("a reply may hand over a connection", "it brought none");
        check::done();
    };
    let badge = |service: &Connection| service.send_words([]).map(|reply| reply.words[0]);
    equal(
        "a reply may hand over a connection, with its badge",
        badge(&service),
        Ok(41),
    );

    let refused = Status(Error::NotPermitted as u32);
    let (reply, none) = ask(&names, 1);
    equal(
        "a connection without the right is not handed on",
        (reply.status, none),
        (refused, None),
    );
    let (reply, none) = ask(&names, 2);
    holds(
        "what is not a connection is not handed on",
        !reply.status.is_ok() && none.is_none(),
    );
    let reply = names.send_words([0]).unwrap();
    equal(
        "who does not ask for a handle gets none",
        reply.status,
        refused,
    );

    let mut more = 0;
    let full = loop {
        let (reply, connection) = ask(&names, 0);
        match connection {
            Some(another) if badge(&another) == Ok(41) => more += 1,
            _ => break reply.status,
        }
    };
    let no_handles = Status(Error::NoHandles as u32);
    equal(
        "a full table takes no more",
        (full, more > 0),
        (no_handles, true),
    );

    let copy = Connection::from_handle(service.handle());
    equal("a connection can be closed", service.close(), Ok(()));
    equal(
        "a closed connection is one no more",
        badge(&copy),
        Err(Error::BadHandle),
    );
    let (_, again) = ask(&names, 0);
    let again = again.unwrap();
    equal("its place is free again", badge(&again), Ok(41));
    equal(
        "an old handle does not find the new connection",
        badge(&copy),
        Err(Error::BadHandle),
    );
    check::done();
}

fn ask(names: &Connection, which: u32) -> (WordsReply, Option<Connection>) {
    names.send_for_handle([which]).unwrap()
}
