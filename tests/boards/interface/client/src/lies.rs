//! Requests that no client of the interface makes, and answers that no server does.

use check::{equal, holds};
use interface_api::DepotClient;
use riposte::interface::{CallError, refusal};
use riposte::{Connection, Status, Text};

use crate::{Server, block, equal_of};

/// The methods that are lied to.
const NOTHING: u32 = 0;
const SCALE: u32 = 1;
const TURN: u32 = 4;
const STORE: u32 = 6;
const LOAD: u32 = 7;

/// Words of a request, and how many bytes of it are sent.
const MALFORMED: [(&[u32], usize); 14] = [
    (&[], 0),
    (&[NOTHING], 3),
    (&[NOTHING, 0], 8),
    (&[SCALE, 1, 2], 12),
    (&[SCALE, 1, 2, 0, 0], 20),
    (&[TURN, 1, 1, 1, 1, 1, 1, 1], 32),
    (&[TURN, 1, 1, 1, 1, 1, 1, 1, 1], 37),
    // Without its count, with something behind it.
    (&[LOAD, 1], 8),
    (&[LOAD, 1, 2, 3], 16),
    // Fewer bytes than the counts say, more, and counts whose bytes overflow.
    (&[STORE, 1, 0, 0], 16),
    (&[STORE, 0, 0, 3, 0], 20),
    (&[STORE, 0, 1 << 29, 0], 16),
    (&[STORE, 0, 1 << 29, 0, 0, 0], 24),
    (&[STORE, u32::MAX, 1, u32::MAX, 0, 0], 24),
];

fn status(connection: &mut Connection, words: &[u32], length: usize) -> Option<Status> {
    let mut bytes = [0; 40];
    for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    let reply = connection.send(&bytes[..length], &mut [0; 64]).ok()?;
    Some(reply.status)
}

/// To a server.
pub fn to(server: &Server) {
    let mut connection = riposte::connect(server.name).unwrap();
    let refused = MALFORMED.iter().filter(|(words, length)| {
        status(&mut connection, words, *length) == Some(refusal::MALFORMED)
    });
    equal_of!(
        server,
        "a request that is cut or too long or lies about a length is refused",
        refused.count(),
        MALFORMED.len(),
    );
    equal_of!(
        server,
        "a method that there is not is refused",
        status(&mut connection, &[99], 4),
        Some(refusal::NO_SUCH_METHOD),
    );
    equal_of!(
        server,
        "text that is no UTF-8 is refused",
        status(&mut connection, &[STORE, 2, 0, 0, 0x28C3], 18),
        Some(refusal::MALFORMED),
    );
    equal_of!(
        server,
        "as many elements as no memory has are no more room than there is",
        status(&mut connection, &[LOAD, 1, u32::MAX], 12),
        Some(Status::OK),
    );
}

/// From a server.
pub fn from_a_server() {
    let liar = DepotClient::new(riposte::connect("liar").unwrap());
    let words = [(); 2].map(|()| liar.scale(1, 1, false));
    equal(
        "an answer in registers",
        words,
        [Err(CallError::MALFORMED); 2],
    );
    let blocks = [(); 2].map(|()| liar.turn(&block()));
    equal("a structure", blocks, [Err(CallError::MALFORMED); 2]);
    let mut room = [1; 5];
    let loads = [(); 5].map(|()| liar.load(1, &mut room[..4]));
    equal("a room", loads, [Err(CallError::MALFORMED); 5]);
    holds("what is behind a room stays", room[4] == 1);
    let mut room = [0; 8];
    let mut text = Text::new(&mut room);
    let labels = [(); 4].map(|()| liar.label(1, &mut text));
    equal("a text", labels, [Err(CallError::MALFORMED); 4]);
    equal("and there is none", text.as_str(), "");
}
