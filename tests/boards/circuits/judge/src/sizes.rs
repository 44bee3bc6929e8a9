//! Messages of every size.

use check::{equal, holds};
use riposte::sync::Mutex;
use riposte::{Connection, Part, PartMut};
use riposte_node::NodeError;

use crate::{order, tell};

/// The longest message of all, and by the manifest the longest reply.
const LONGEST: usize = 22_528;

static BYTES: Mutex<([u8; LONGEST + 1], [u8; LONGEST])> =
    Mutex::new(([0; LONGEST + 1], [0; LONGEST]));

pub fn all(echo: &Connection, mortal: &Connection) {
    let Ok(mut all) = BYTES.lock() else {
        panic!("another thread has the bytes");
    };
    let (bytes, back) = &mut *all;
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = (place * 7 + place / 251) as u8;
    }
    let mut all_came = true;
    for length in [
        0, 1, 19, 20, 21, 32, 1400, 1407, 1408, 1409, 2816, 5000, 11_263, 11_264, LONGEST,
    ] {
        back.fill(0xEE);
        let reply = echo.send(&bytes[..length], back).unwrap();
        let is_same =
            back[..length] == bytes[..length] && back[length..].iter().all(|it| *it == 0xEE);
        let is_right = is_same
            && (reply.len, reply.offered, reply.status.0) == (length, length, length as u32 & 3);
        if !is_right {
            riposte::println!("{length} bytes: {reply:?}");
        }
        all_came &= is_right;
    }
    holds(
        "messages and replies of every size come whole, with their status",
        all_came,
    );
    let mut words = [0; 8];
    let reply = echo.send(&bytes[..], &mut words).unwrap();
    equal(
        "a longer one is refused",
        NodeError::of(reply.status),
        Some(NodeError::TooLong),
    );
    equal(
        "as is a longer reply",
        tell(mortal, [order::LONG, LONGEST as u32 + 1]),
        Err(NodeError::TooLong),
    );
    let (first, rest) = bytes[..3000].split_at(1234);
    let (left, right) = back.split_at_mut(2000);
    let reply = echo.send_vector(
        &[Part::new(first), Part::new(rest)],
        &mut [PartMut::new(left), PartMut::new(right)],
    );
    let is_whole = reply.map(|it| it.len) == Ok(3000) && back[..3000] == bytes[..3000];
    holds("parts of any shape, either way", is_whole);
    let all_came = (0..=21).all(|length| {
        let (first, rest) = bytes[..length].split_at(length / 3);
        back.fill(0xEE);
        let reply = echo.send_vector(
            &[Part::new(first), Part::new(rest)],
            &mut [PartMut::new(&mut back[..])],
        );
        reply.map(|it| it.len) == Ok(length) && back[..length] == bytes[..length]
    });
    holds("short parts come as they are, too", all_came);
    let mut short = [0; 10];
    let reply = echo.send(&bytes[..100], &mut short).unwrap();
    equal(
        "what does not fit is told of",
        (reply.len, reply.offered),
        (10, 100),
    );
}
