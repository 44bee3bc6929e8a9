//! What is transferred: rules 3, 4, 5 and 7.

use check::{equal, holds};
use riposte::{Connection, Part, PartMut, Status};

use crate::order::ask;

pub fn all() {
    let orders = riposte::connect("orders").unwrap();
    lengths(&orders);
    statuses(&orders);
    parts(&orders);
    pieces(&orders);
}

/// `length` bytes that begin with an order.
fn message(order: u8, length: usize) -> [u8; 300] {
    let mut bytes: [u8; 300] = core::array::from_fn(|at| (at * 7 % 250) as u8 + 1);
    if length > 0 {
        bytes[0] = order;
    }
    bytes
}

/// Bytes that begin anywhere go to where they are to be, and nowhere else.
fn alignments(orders: &Connection) -> bool {
    let mut whole = true;
    for length in 13..=64 {
        for (from, to) in (0..16).map(|both| (both % 4, both / 4)) {
            let mut request = Aligned([0; 80]);
            let bytes = &mut request.0[from..from + length];
            bytes.copy_from_slice(&message(b'e', length)[..length]);
            let mut reply = Aligned([0xEE; 80]);
            let got = orders.send(bytes, &mut reply.0[to..to + length]);
            whole &= got.is_ok_and(|got| got.len == length);
            whole &= reply.0[to..to + length] == request.0[from..from + length];
            let around = reply.0[..to].iter().chain(&reply.0[to + length..]);
            whole &= around.into_iter().all(|byte| *byte == 0xEE);
        }
    }
    whole
}

#[repr(align(4))]
struct Aligned([u8; 80]);

/// Longest of the long messages.
const LONG: usize = 1100;

#[repr(align(4))]
struct Long([u8; LONG + 8]);

/// The same for what takes several looks for interrupts: the server reads the message, writes it back, and looks
/// around its own buffer.
fn long_alignments(orders: &Connection) -> Option<(usize, usize, usize)> {
    let lengths = [
        127, 128, 129, 160, 255, 256, 257, 300, 511, 512, 513, 600, 640, 1023, 1024, 1025, 1090,
    ];
    let cases = lengths
        .into_iter()
        .flat_map(|length| (0..16).map(move |both| (length, both % 4, both / 4)));
    for (length, from, to) in cases {
        let mut request = Long([0; LONG + 8]);
        let bytes = &mut request.0[from..from + length];
        bytes
            .iter_mut()
            .enumerate()
            .for_each(|(at, byte)| *byte = (at * 7 % 251) as u8);
        bytes[..2].copy_from_slice(&[b'L', to as u8]);
        let mut reply = Long([0xEE; LONG + 8]);
        let got = orders.send(bytes, &mut reply.0[from..from + length]);
        let is_right = got.is_ok()
            && ask(orders) == 1
            && reply.0[from..from + length] == request.0[from..from + length]
            && reply.0[..from]
                .iter()
                .chain(&reply.0[from + length..])
                .all(|byte| *byte == 0xEE);
        if !is_right {
            return Some((length, from, to));
        }
    }
    None
}

fn lengths(orders: &Connection) {
    let mut whole = true;
    for length in [0, 1, 2, 3, 4, 5, 19, 20, 21, 22, 32, 63, 64] {
        let request = message(b'e', length);
        let mut reply = [0xEE; 70];
        let got = orders.send(&request[..length], &mut reply).unwrap();
        let lengths = (got.accepted, got.offered, got.len) == (length, length, length);
        whole &= lengths && reply[..length] == request[..length];
        whole &= reply[length..].iter().all(|byte| *byte == 0xEE);
    }
    holds("3 messages and replies of any length arrive whole", whole);

    holds(
        "3 messages and replies at any alignment arrive whole",
        alignments(orders),
    );
    equal(
        "7 long messages at any alignment are read and written whole, and nothing around them",
        long_alignments(orders),
        None,
    );

    let request = message(b'l', 200);
    let mut words = [0; 12];
    let got = orders.send(&request[..200], &mut words).unwrap();
    equal(
        "4 the client learns what the server accepted",
        got.accepted,
        64,
    );
    let word = |at: usize| u32::from_le_bytes(words[at..at + 4].try_into().unwrap());
    equal(
        "4 the server learns both lengths",
        (word(0), word(4)),
        (64, 200),
    );
    equal("the server learns the badge", word(8), 17);

    let request = message(b'e', 50);
    let mut reply = [0xEE; 50];
    let got = orders.send(&request[..50], &mut reply[..33]).unwrap();
    equal(
        "4 the client learns both lengths of the reply",
        (got.len, got.offered),
        (33, 50),
    );
    equal(
        "4 the server learns what the client accepted",
        ask(orders),
        33,
    );
    holds(
        "4 no buffer overflows",
        reply[33..].iter().all(|byte| *byte == 0xEE),
    );
    equal("4 what fits arrives", &reply[..33], &request[..33]);
}

fn statuses(orders: &Connection) {
    let mut order = [0; 8];
    order[0] = b's';
    order[4..].copy_from_slice(&32_u32.to_le_bytes());
    let mut reply = [0; 8];
    let got = orders.send(&order, &mut reply);
    // 32 is also the number of a kernel error: the two can't be mixed up.
    equal(
        "5 a reply carries a status and bytes",
        got.map(|got| (got.status, got.len)),
        Ok((Status(32), 3)),
    );
    order[0] = b'x';
    let got = orders.send(&order, &mut reply);
    equal(
        "5 reply_error carries a status and no bytes",
        got.map(|got| (got.status, got.offered)),
        Ok((Status(32), 0)),
    );
}

fn parts(orders: &Connection) {
    for length in [30, 40] {
        orders.send(b"v", &mut []).unwrap();
        let request = message(b'e', length);
        let (first, second) = request[..length].split_at(11);
        let (mut head, mut tail) = ([0; 3], [0; 60]);
        let got = orders
            .send_vector(
                &[Part::new(first), Part::new(&[]), Part::new(second)],
                &mut [PartMut::new(&mut head), PartMut::new(&mut tail)],
            )
            .unwrap();
        let mut reply = [0; 63];
        reply[..3].copy_from_slice(&head);
        reply[3..].copy_from_slice(&tail);
        let rotated = reply[..length - 6] == request[6..length]
            && reply[length - 6] == request[5]
            && reply[length - 5..length] == request[..5];
        holds(
            "3 parts of different shapes on both sides",
            rotated && got.len == length,
        );
        equal(
            "3 the replier learns the length of parts",
            ask(orders),
            length as u32,
        );
    }
}

fn pieces(orders: &Connection) {
    let request = message(b'r', 300);
    let sum = request.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    let mut reply = [0; 4];
    orders.send(&request, &mut reply).unwrap();
    equal(
        "7 read takes the message in pieces, with short counts at the end",
        u32::from_le_bytes(reply),
        sum,
    );
    let mut reply = [b'-'; 40];
    let got = orders.send(b"w", &mut reply).unwrap();
    equal(
        "7 write fills the reply buffer at an offset, with short counts at the end",
        ask(orders),
        1,
    );
    equal(
        "7 a reply leaves what was written",
        (&reply[..9], &reply[36..], got.len),
        (&b"--begin--"[..], &b"--en"[..], 0),
    );
}
