//! Sends to a server that hands it on.
#![no_std]
#![forbid(unsafe_code)]

use check::{equal, holds};
use riposte::{Connection, Duration, Error, Instant, Pages, Status};

#[riposte::main]
fn main() {
    let front = riposte::connect("front").unwrap();
    let other = riposte::connect("other").unwrap();
    messages(&front);
    refusals(&front, &other);
    deadlines(&front);
    lets_go();
    deaths(&front);
    check::done();
}

fn messages(front: &Connection) {
    let answer = front.send_words([0, 7]).unwrap();
    equal(
        "relay: words reach the other server, by the front's badge",
        (answer.status, answer.words, answer.len),
        (Status::OK, [41, 7, 8, 0, 0], 12),
    );
    let answer = front.send(b"\0ab", &mut []).unwrap();
    holds("relay: as many bytes as were sent", answer.offered == 12);
    let mut sent = [0; 64];
    for (index, byte) in (0..).zip(&mut sent) {
        *byte = index;
    }
    sent[0] = 1;
    let mut reply = [0; 64];
    let answer = front.send(&sent, &mut reply).unwrap();
    let turned = reply[8..56].iter().eq(sent[16..].iter().rev());
    holds(
        "relay: bytes lie where the client has them, and are read and written there",
        turned && answer.len == 4 && reply[..4] == 48_u32.to_le_bytes(),
    );
}

fn refusals(front: &Connection, other: &Connection) {
    equal(
        "relay: without the grant nobody is handed on, and can still be answered",
        other.send_words([0]).map(|answer| answer.status),
        Ok(Status(Error::NotPermitted as u32)),
    );
    let pages = Pages::allocate(4096).unwrap();
    let lent = front.lend(&pages, [0; 3]).map(|answer| answer.status);
    equal(
        "relay: who has lent memory is not handed on",
        lent,
        Ok(Status(Error::CannotLend as u32)),
    );
}

fn deadlines(front: &Connection) {
    let soon = Instant::now() + Duration::from_millis(5);
    equal(
        "relay: a deadline goes on at the other server",
        front.send_words_until([2], soon).map(|answer| answer.len),
        Err(Error::TimedOut),
    );
    equal(
        "relay: whose deadline has passed is nobody's client",
        front.send_words([3]).map(|answer| answer.words[0]),
        Ok(1),
    );
}

/// Whoever has it hands it on when its time is over, to a server that waits for another one, and so on.
fn lets_go() {
    let keeper = riposte::connect("keeper").unwrap();
    riposte::sleep(Duration::from_millis(40)).unwrap();
    let soon = Instant::now() + Duration::from_millis(5);
    equal(
        "relay: whose time is over goes, and waits for no other server",
        keeper.send_words_until([], soon).map(|answer| answer.len),
        Err(Error::TimedOut),
    );
}

fn deaths(front: &Connection) {
    equal(
        "relay: the other server's death is told",
        front.send_words([4]).map(|answer| answer.len),
        Err(Error::ServerDied),
    );
    equal(
        "relay: to a dead server nobody is handed on",
        front.send_words([0]).map(|answer| answer.status),
        Ok(Status(Error::ServerDied as u32)),
    );
}
