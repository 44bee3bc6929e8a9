//! Lends and gives memory, and looks at what became of it.
#![no_std]

use check::{equal, holds};
use riposte::{Connection, Deadline, Duration, Error, MemoryReply, Pages};

const PAGE: usize = 4096;

/// Orders to the servers.
const WAIT: u32 = 1;
const DIE: u32 = 2;
const DROP: u32 = 3;
const GIVE_ON: u32 = 4;

/// Memory that is none of the process's pages.
#[repr(align(4096))]
struct Aligned([u8; PAGE]);

struct Servers {
    /// With one window of one page.
    server: Connection,
    /// The same, for what is to stay.
    keeper: Connection,
    /// Without windows.
    plain: Connection,
}

#[riposte::main]
fn main() {
    let mut servers = Servers {
        server: riposte::connect("server").unwrap(),
        keeper: riposte::connect("keeper").unwrap(),
        plain: riposte::connect("plain").unwrap(),
    };
    lend(&servers);
    lend_mut(&servers);
    copies(&servers);
    several_threads();
    give(&servers);
    give_without_a_gap(&servers);
    deadline(&servers);
    death(&mut servers);
    check::done();
}

/// A page full of `byte`.
fn page(byte: u8) -> Pages {
    let mut pages = Pages::allocate(PAGE).unwrap();
    pages.fill(byte);
    pages
}

/// What the server saw, whether it was a copy, and how many bytes were.
fn seen(reply: Result<MemoryReply, Error>) -> Result<(u32, u32, Option<usize>), Error> {
    reply.map(|reply| (reply.words[0], reply.words[1], reply.copied))
}

fn sum(length: usize, byte: u8) -> u32 {
    length as u32 * u32::from(byte)
}

fn lend(servers: &Servers) {
    let pages = page(3);
    equal(
        "12 pages are lent without a copy",
        seen(servers.server.lend(&pages, [0; 3])),
        Ok((sum(PAGE, 3), 0, None)),
    );
    let other = Aligned([5; PAGE]);
    equal(
        "12 a process with one thread lends all memory of the right shape",
        seen(servers.server.lend(&other.0, [0; 3])),
        Ok((sum(PAGE, 5), 0, None)),
    );
}

fn lend_mut(servers: &Servers) {
    for (name, to, copied) in [
        (
            "12 what a server writes to lent memory is there",
            &servers.server,
            None,
        ),
        (
            "12 what a server writes to a copy comes back",
            &servers.plain,
            Some(PAGE),
        ),
    ] {
        let mut pages = page(3);
        let reply = seen(to.lend_mut(&mut pages, [0, 7, 0]));
        let expected = Ok((sum(PAGE, 3), u32::from(copied.is_some()), copied));
        equal(name, (reply, count(&pages, 7)), (expected, PAGE));
    }
}

fn count(bytes: &[u8], value: u8) -> usize {
    bytes.iter().filter(|byte| **byte == value).count()
}

fn copies(servers: &Servers) {
    let pages = page(1);
    for (name, to, bytes) in [
        (
            "12 what is no region goes as a copy",
            &servers.server,
            &pages[1..100],
        ),
        (
            "12 no bytes go as a copy of none",
            &servers.server,
            &pages[..0],
        ),
        (
            "12 a server without windows gets a copy",
            &servers.plain,
            &pages[..],
        ),
    ] {
        let expected = (sum(bytes.len(), 1), 1, Some(bytes.len()));
        equal(name, seen(to.lend(bytes, [0; 3])), Ok(expected));
    }
    drop(pages);
    let mut two = Pages::allocate(2 * PAGE).unwrap();
    two.fill(1);
    equal(
        "12 what is longer than a window goes as a copy",
        seen(servers.server.lend(&two, [0; 3])),
        Ok((sum(2 * PAGE, 1), 1, Some(2 * PAGE))),
    );
}

fn several_threads() {
    let threads = riposte::connect("threads").unwrap();
    let reply = threads.send_words([]).unwrap();
    equal(
        "13 a process with several threads lends its pages only",
        (reply.words[0], reply.words[1]),
        (0, 512),
    );
}

/// Pages that can be had now, and whether all are clear.
fn free() -> (usize, bool) {
    let pages: [_; 4] = core::array::from_fn(|_| Pages::allocate(PAGE));
    let pages = || pages.iter().flatten();
    (pages().count(), pages().all(|page| count(page, 0) == PAGE))
}

fn give(servers: &Servers) {
    equal(
        "12 pages are given without a copy",
        seen(servers.keeper.give(page(9), [0; 3]).map_err(|it| it.error)),
        Ok((sum(PAGE, 9), 0, None)),
    );
    equal(
        "12 memory that was given is not used until it is released",
        free(),
        (3, true),
    );
    let look = servers.keeper.send_words([0]).map(|reply| reply.words[0]);
    equal(
        "12 memory that was moved stays what it was",
        look,
        Ok(sum(PAGE, 9)),
    );
    let on = servers.keeper.send_words([GIVE_ON]).unwrap();
    equal(
        "12 memory that was moved can be moved on",
        (on.words[0], on.words[1]),
        (sum(PAGE, 9), 0),
    );
    let look = |server: &Connection| server.send_words([0]).map(|reply| reply.words[0]);
    equal(
        "12 memory that was moved on is with one process only",
        (look(&servers.keeper), look(&servers.server)),
        (Ok(0), Ok(sum(PAGE, 9))),
    );
    servers.server.send_words([DROP]).unwrap();
    equal(
        "14 memory that comes home is free, and clear",
        free(),
        (4, true),
    );
}

fn give_without_a_gap(servers: &Servers) {
    let (first, second) = (page(1), page(2));
    let mut copied = [first, second].map(|memory| {
        let reply = servers.keeper.give(memory, [0; 3]);
        reply.map_or(Some(1), |reply| reply.copied)
    });
    equal(
        "12 memory goes as a copy while the only gap is in use",
        copied,
        [None, Some(PAGE)],
    );
    // The second one took the place of the first, which came home by that. Its gap is still there.
    let (first, second) = (page(1), page(2));
    copied = [first, second].map(|memory| {
        let reply = servers.keeper.give(memory, [0; 3]);
        servers.keeper.send_words([DROP]).unwrap();
        reply.map_or(Some(1), |reply| reply.copied)
    });
    equal(
        "12 the library takes back what has come home when it needs the gap",
        copied,
        [None, None],
    );
    equal("14 all of it comes home", free(), (4, true));
}

fn deadline(servers: &Servers) {
    let pages = page(2);
    let soon = Deadline::At(riposte::Instant::now() + Duration::from_millis(2));
    equal(
        "23 memory stays with the server beyond the deadline, until it answers",
        seen(servers.server.lend_until(&pages, [WAIT, 0, 0], soon)),
        Ok((sum(PAGE, 2), 1, None)),
    );
}

fn death(servers: &mut Servers) {
    let mut pages = page(4);
    let reply = servers.server.lend_mut(&mut pages, [DIE, 6, 0]);
    equal(
        "24 a server's death ends a loan, with what it has written",
        (seen(reply), count(&pages, 6)),
        (Err(Error::ServerDied), PAGE),
    );
    holds(
        "24 the restarted server is found again",
        servers.server.reconnect().is_ok(),
    );
    let failure = servers.server.give(pages, [DIE, 0, 0]).unwrap_err();
    let back = failure.memory.map(|memory| count(&memory, 0));
    equal(
        "24 what a dead server had been given comes back, clear",
        (failure.error, back),
        (Error::ServerDied, Some(PAGE)),
    );
    holds(
        "24 the restarted server is found once more",
        servers.server.reconnect().is_ok(),
    );
    equal(
        "24 its window is empty",
        seen(servers.server.lend(&page(1), [0; 3])),
        Ok((sum(PAGE, 1), 0, None)),
    );
}
