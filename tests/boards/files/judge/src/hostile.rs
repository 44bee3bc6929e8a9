//! Requests that the library does not make.

use check::{equal, holds};
use riposte::{Connection, Deadline, Status};
use riposte_files::protocol::{LARGEST, operation as op, option, status};

pub(crate) fn hostile() {
    let server = riposte::connect("files").unwrap();
    let refusal = |bytes: &[u8]| server.send(bytes, &mut []).map(|reply| reply.status);
    for length in 0..8 {
        let refused = refusal(&[0; 8][..length]);
        equal("what is too short is none", refused, Ok(status::INVALID));
    }
    let file = open(&server);
    lengths(&server, file);
    bits(&server, file);
    paths(&server);
    numbers(&server, file);
    longest(&server, file);
    let read = words(&server, &[op::READ, file, 4]);
    equal("what is refused changes nothing", read, Status::OK);
    // A read of more than there is, and of more than a request can have.
    let reply = server.send(&bytes(&[op::READ, file, u32::MAX])[..12], &mut [0; 8]);
    let found = reply.map(|it| (it.status, it.len));
    equal("nobody gets more than there is", found, Ok((Status::OK, 0)));
    // There is no room for the answer.
    words(&server, &[op::SEEK, file, 0, 0]);
    let reply = server.send(&bytes(&[op::READ, file, 100])[..12], &mut []);
    let found = reply.map(|it| (it.status, it.offered));
    equal("nor than it has room for", found, Ok((Status::OK, 4)));
    equal(
        "it is closed",
        words(&server, &[op::CLOSE, file]),
        Status::OK,
    );
    let again = words(&server, &[op::CLOSE, file]);
    equal("once", again, status::BAD_FILE);
    let removed = server.send(b"\x0C\0\0\0\0\0\0\0h", &mut []);
    holds("and removed", removed.is_ok_and(|it| it.status.is_ok()));
}

fn bytes(words: &[u32]) -> [u8; 24] {
    let mut request = [0; 24];
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    request
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = from);
    request
}

fn words(server: &Connection, words: &[u32]) -> Status {
    let request = bytes(words);
    let reply = server.send(&request[..words.len() * 4], &mut [0; 20]);
    reply.unwrap().status
}

/// A file `h` of four bytes.
fn open(server: &Connection) -> u32 {
    let options = option::READ | option::WRITE | option::CREATE;
    let mut number = [0; 4];
    let mut request = bytes(&[op::OPEN | options << op::SHIFT]);
    request[8] = b'h';
    let _ = server.send(&request[..9], &mut number);
    let file = u32::from_le_bytes(number);
    equal(
        "it is opened",
        words(server, &[op::WRITE, file, 7]),
        Status::OK,
    );
    words(server, &[op::SEEK, file, 0, 0]);
    file
}

/// One word too few, or too many.
fn lengths(server: &Connection, file: u32) {
    let mut refused = true;
    for (operation, takes) in [
        (op::CLOSE, 0),
        (op::READ, 1),
        (op::SEEK, 2),
        (op::STAT, 0),
        (op::SYNC, 0),
        (op::TRUNCATE, 2),
        (op::LIST, 0),
        (op::DUPLICATE, 0),
        (op::SPACE, 0),
    ] {
        let request = [operation, file, 0, 0, 0];
        for length in (2..=5).filter(|length| *length != takes + 2) {
            refused &= words(server, &request[..length]) == status::INVALID;
        }
    }
    holds("a request has its length", refused);
}

/// Bits above an operation that mean nothing, and operations that are none.
fn bits(server: &Connection, file: u32) {
    let mut refused = true;
    for bit in 8..32 {
        for request in [
            &[op::CLOSE, file][..],
            &[op::STAT, file],
            &[op::SYNC, file],
            &[op::TRUNCATE, file, 0, 0],
            &[op::LIST, file],
            &[op::DUPLICATE, file],
            &[op::STAT_PATH, 0, 0x68],
            &[op::MAKE_DIRECTORY, 0, 0x69],
            &[op::REMOVE, 0, 0x68],
            &[op::RENAME, 0, 1, 0x6968],
            &[op::SPACE, 0],
        ] {
            let mut request = bytes(request);
            request[bit / 8] |= 1 << (bit % 8);
            // All of these have at most four words, and what is behind them is refused as well.
            refused &= server.send(&request[..16], &mut []).unwrap().status == status::INVALID;
        }
        let other = if bit > 8 { 1 << bit } else { 0 };
        for request in [
            &[op::READ | other, file, 4][..],
            &[op::WRITE | other, file, 0],
            &[op::SEEK | 3 << op::SHIFT | other, file, 0, 0],
        ] {
            let operation = request[0] & 0xFF;
            let means_something = other == 0 && operation != op::SEEK
                || other == op::AT_END && operation == op::WRITE;
            refused &= means_something || words(server, request) == status::INVALID;
        }
    }
    let both = op::WRITE | op::AT | op::AT_END;
    refused &= words(server, &[both, file, 0, 0, 0]) == status::INVALID;
    holds("what means nothing is refused", refused);
    // Above these are those of pipes.
    let behind = if has_fifos() { 31 } else { 255 };
    for operation in [16, 31, 127, 255] {
        let found = words(server, &[operation.min(behind), file]);
        equal("there is no such operation", found, status::NOT_SUPPORTED);
    }
}

/// Whether the server has pipes, by the manifest.
pub(crate) fn has_fifos() -> bool {
    riposte::setting("fifos").is_ok()
}

/// Paths that are none, and two that are not where they should be.
fn paths(server: &Connection) {
    let send = |operation: u32, number: u32, rest: &[u8]| {
        let mut request = [0; 300];
        request[..4].copy_from_slice(&operation.to_le_bytes());
        request[4..8].copy_from_slice(&number.to_le_bytes());
        request[8..8 + rest.len()].copy_from_slice(rest);
        let reply = server.send(&request[..8 + rest.len()], &mut [0; 20]);
        reply.unwrap().status
    };
    let open = op::OPEN | option::READ << op::SHIFT;
    for (operation, rest, why) in [
        (open, &b""[..], status::NOT_FOUND),
        (open, b"\0\0\0", status::NOT_FOUND),
        (open, b"h\0h", status::INVALID),
        (open, b"h\0/", status::INVALID),
        (open, b"\xC3", status::INVALID),
        (op::STAT_PATH, b"\0h", status::INVALID),
        (op::REMOVE, b"h\xFF", status::INVALID),
        (op::MAKE_DIRECTORY, b"i\0j", status::INVALID),
        (op::MAKE_DIRECTORY, b"\xED\xA0\x80", status::INVALID),
        (op::RENAME, b"", status::INVALID),
        (op::RENAME, b"\x01\0\0", status::INVALID),
        (op::RENAME, b"\x09\0\0\0", status::INVALID),
        (op::RENAME, b"\x01\0\0\0h\0i", status::INVALID),
        (op::RENAME, b"\x03\0\0\0hi", status::INVALID),
        (op::RENAME, b"\xFF\xFF\xFF\xFFhi", status::INVALID),
        (op::RENAME, b"\0\0\0\0hi", status::NOT_FOUND),
        (op::RENAME, b"\x01\0\0\0h", status::NOT_FOUND),
        (op::RENAME, &[b'x'; 290], status::NAME_TOO_LONG),
    ] {
        equal("a path is one", send(operation, 0, rest), why);
        let found = send(operation, 1, rest);
        equal("and has no number", found, status::INVALID);
    }
}

/// More bytes than a request can have: as many are written, and what is behind them is nobody's.
fn longest(server: &Connection, file: u32) {
    static LONG: [u8; LARGEST + 600] = [b'l'; LARGEST + 600];
    for (head, position) in [
        (&[op::WRITE, file][..], 0),
        (&[op::WRITE | op::AT, file, 5, 0], 5),
    ] {
        let request = bytes(head);
        let mut count = [0; 4];
        let pieces = [&request[..head.len() * 4], &LONG];
        let reply = server.send_pieces_until(pieces, &mut count, Deadline::None);
        let written = reply.map(|it| (it.status, u32::from_le_bytes(count)));
        let most = LARGEST as u32;
        equal("no more is written", written, Ok((Status::OK, most)));
        let mut stat = [0; 16];
        let _ = server.send(&bytes(&[op::STAT, file])[..8], &mut stat);
        let [_, size, ..] = stat.as_chunks::<4>().0 else {
            panic!("four words");
        };
        let size = u32::from_le_bytes(*size);
        equal("than a request can have", size, position + most);
    }
    words(server, &[op::TRUNCATE, file, 4, 0]);
    words(server, &[op::SEEK, file, 0, 0]);
}

/// Numbers of open files that are not this process's. Others have some open, in the first places.
fn numbers(server: &Connection, file: u32) {
    let mut all = 0;
    let numbers = (0..6).flat_map(|generation| (0..6).map(move |place| generation << 8 | place));
    for number in numbers.chain([u32::MAX, 1 << 31, 32, 255]) {
        if number == file {
            continue;
        }
        for request in [
            &[op::CLOSE, number][..],
            &[op::READ, number, 1],
            &[op::WRITE, number, 0x61],
            &[op::SEEK, number, 0, 0],
            &[op::STAT, number],
            &[op::SYNC, number],
            &[op::TRUNCATE, number, 0, 0],
            &[op::LIST, number],
            &[op::DUPLICATE, number],
        ] {
            all += u32::from(words(server, request) != status::BAD_FILE);
        }
    }
    equal("no other's number names anything", all, 0);
}
