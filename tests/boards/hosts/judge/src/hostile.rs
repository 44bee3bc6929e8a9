//! Names that are none, and requests that the library does not make.

use check::{equal, holds};
use riposte::{Connection, Part, PartMut, Status};
use riposte_network::protocol::{NAME, operation, ready, status};
use riposte_network::{Network, NetworkError};

use crate::{first, host};

pub fn hostile(network: &Network) {
    names(network);
    let server = riposte::connect("network").unwrap();
    questions(&server);
    let asked = said(&server, 3, b"one.test");
    equal("a name is of no socket", asked, status::INVALID);
    let reader = riposte::connect("network-reader").unwrap();
    let asked = said(&reader, 0, b"one.test");
    equal("who may look may not ask", asked, status::TOO_MANY);
    let long = said(&server, 0, &[b'a'; 2000]);
    equal("what is much too long is not read", long, status::TOO_LONG);
    let letters = (0..=255).filter(|it: &u8| !it.is_ascii_alphanumeric() && !b"-_.".contains(it));
    let refused = letters.filter(|it| said(&server, 0, &[b'a', *it, b'b', *it]) == status::INVALID);
    equal("no other letters are of a name", refused.count(), 256 - 65);
    holds(
        "the server has taken no harm",
        first(network, "one.test") == Ok(host(1)),
    );
}

/// What the server says to a request for a name.
fn said(server: &Connection, about: u32, name: &[u8]) -> Status {
    told(server, operation::RESOLVE, about, name).0
}

/// What it says to a request, and the first word of it.
fn told(server: &Connection, operation: u32, about: u32, more: &[u8]) -> (Status, u32) {
    let mut head = [0; 8];
    head[..4].copy_from_slice(&operation.to_le_bytes());
    head[4..].copy_from_slice(&about.to_le_bytes());
    let (mut word, mut rest) = ([0; 4], [0; 76]);
    let parts = [Part::new(&head), Part::new(more)];
    let answer = &mut [PartMut::new(&mut word), PartMut::new(&mut rest)];
    let reply = server.send_vector(&parts, answer).unwrap();
    (reply.status, u32::from_le_bytes(word))
}

/// Questions of whoever does not wait: this process may have one.
fn questions(server: &Connection) {
    let reader = riposte::connect("network-reader").unwrap();
    let asked = told(&reader, operation::ASK, 0, b"one.test").0;
    equal("who may look has no question", asked, status::TOO_MANY);
    let (asked, number) = told(server, operation::ASK, 0, b"silent.test");
    equal("a question has a number", asked, Status::OK);
    let more = told(server, operation::ASK, 0, b"one.test").0;
    equal("and there is one", more, status::TOO_MANY);
    let refused = (0..32).all(|bit| {
        let other = number ^ 1 << bit;
        let now = operation::ASKED | operation::TRY;
        told(server, now, other, b"silent.test").0 == status::BAD_NUMBER
            && told(server, operation::CLOSE, other, &[]).0 == status::BAD_NUMBER
    });
    holds("of no other number", refused);
    let now = operation::ASKED | operation::TRY;
    for operation in [now, operation::CLOSE, operation::READY] {
        let name = if operation == now {
            &b"silent.test"[..]
        } else {
            &[]
        };
        let found = told(&reader, operation, number, name).0;
        equal("nor of another client", found, status::BAD_NUMBER);
    }
    let ready = told(server, operation::READY, number, &[]);
    equal("nobody has answered it", ready, (Status::OK, 0));
    let closed = told(server, operation::CLOSE, number, &[]).0;
    equal("it is given up", closed, Status::OK);
    let (_, number) = told(server, operation::ASK, 0, b"one.test");
    let [a, b, c, d] = number.to_le_bytes();
    let watch = [a, b, c, d, ready::READ as u8, 0, 0, 0];
    let watched = told(server, operation::WATCH, 0, &watch).0;
    equal("who watches one learns of its end", watched, Status::OK);
    let found = told(server, operation::ASKED, number, b"one.test");
    equal("which is told then", found.0, Status::OK);
    let found = told(server, operation::ASKED, number, b"one.test").0;
    equal("once", found, status::BAD_NUMBER);
    let (_, number) = told(server, operation::ASK, 0, b"broken.test");
    let found = told(server, operation::ASKED, number, b"-").0;
    equal("who asks anew for no name ends it", found, status::INVALID);
    let found = told(server, operation::ASKED, number, b"broken.test").0;
    equal("and it is no more", found, status::BAD_NUMBER);
}

fn names(network: &Network) {
    let all = [
        "",
        ".",
        "..",
        ".test",
        "a..test",
        "test..",
        "-a.test",
        "a-.test",
        "a b",
        "a/b",
        "10.0.0.256",
        "1.2.3",
        "7",
        "host.7",
        "h\u{f6}st.test",
    ];
    let refused = all.map(|it| first(network, it) == Err(NetworkError::Invalid));
    equal("what no host can be called is none", refused, [true; 15]);
    let mut longest = [b'a'; NAME + 1];
    longest
        .iter_mut()
        .skip(63)
        .step_by(64)
        .for_each(|it| *it = b'.');
    longest[..5].copy_from_slice(b"none.");
    let text = |length| core::str::from_utf8(&longest[..length]).unwrap();
    let found = first(network, text(NAME));
    equal(
        "the longest name is asked for",
        found,
        Err(NetworkError::NoSuchName),
    );
    let found = first(network, text(NAME + 1));
    equal("a longer one is none", found, Err(NetworkError::TooLong));
    let mut label = [b'a'; 64 + 5];
    label[64..].copy_from_slice(b".test");
    let found = first(network, core::str::from_utf8(&label).unwrap());
    equal(
        "nor one with a longer part",
        found,
        Err(NetworkError::TooLong),
    );
}
