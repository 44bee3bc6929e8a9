//! Requests that the library does not make.

use check::{equal, holds};
use riposte::{Connection, Part, Status};
use riposte_block::BLOCK;
use riposte_block::protocol::{LARGEST, operation as op, status};

pub(crate) fn hostile() {
    let server = riposte::connect("block").unwrap();
    for length in 0..8 {
        let refused = server.send(&[0; 8][..length], &mut []);
        let refused = refused.map(|reply| reply.status);
        equal("what is too short is none", refused, Ok(status::INVALID));
    }
    let mut refused = true;
    for count in [0, LARGEST as u32 + 1, 0x80_0000, 0xFF_FFFF] {
        for operation in [op::READ, op::WRITE] {
            refused &= words(&server, &[operation | count << op::SHIFT, 0]) == status::INVALID;
        }
    }
    holds("nobody asks for none, or for too many", refused);
    let mut refused = true;
    for bytes in [0, 1, BLOCK - 1, BLOCK + 1, 2 * BLOCK] {
        let head = head(op::WRITE | 1 << op::SHIFT, 0);
        let zeros = [0; 2 * BLOCK];
        let parts = [Part::new(&head), Part::new(&zeros[..bytes])];
        let reply = server.send_vector(&parts, &mut []);
        refused &= reply.is_ok_and(|it| it.status == status::INVALID);
    }
    holds("a write has its bytes, and no others", refused);
    let read = op::READ | 1 << op::SHIFT;
    let found = words(&server, &[read, 0, 0]);
    equal("a read has none", found, status::INVALID);
    for request in [
        &[op::SHAPE, 1][..],
        &[op::SHAPE | 1 << op::SHIFT, 0],
        &[op::SHAPE, 0, 0],
    ] {
        let found = words(&server, request);
        equal("what means nothing is refused", found, status::INVALID);
    }
    for operation in [3, 4, 127, 255] {
        let found = words(&server, &[operation | 1 << op::SHIFT, 0]);
        equal("there is no such operation", found, status::NOT_SUPPORTED);
    }
    // There is no room for the answer.
    let mut room = [0; 100];
    let reply = server.send(&head(read, 99), &mut room);
    let found = reply.map(|it| (it.status, it.len, it.offered));
    equal(
        "nobody gets more than it has room for",
        found,
        Ok((Status::OK, 100, BLOCK)),
    );
}

fn head(operation: u32, block: u32) -> [u8; 8] {
    let mut request = [0; 8];
    request[..4].copy_from_slice(&operation.to_le_bytes());
    request[4..].copy_from_slice(&block.to_le_bytes());
    request
}

fn words(server: &Connection, words: &[u32]) -> Status {
    let mut request = [0; 12];
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    request
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = from);
    let reply = server.send(&request[..words.len() * 4], &mut []);
    reply.unwrap().status
}
