//! Names that are none, and requests that the library does not make.

use check::{equal, holds};
use riposte::{Connection, Part, PartMut, Status};
use riposte_network::protocol::{NAME, operation, status};
use riposte_network::{Network, NetworkError};

use crate::{first, host};

pub fn hostile(network: &Network) {
    names(network);
    let server = riposte::connect("network").unwrap();
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
    let mut head = [0; 8];
    head[..4].copy_from_slice(&operation::RESOLVE.to_le_bytes());
    head[4..].copy_from_slice(&about.to_le_bytes());
    let parts = [Part::new(&head), Part::new(name)];
    let reply = server.send_vector(&parts, &mut [PartMut::new(&mut [0; 80])]);
    reply.unwrap().status
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
