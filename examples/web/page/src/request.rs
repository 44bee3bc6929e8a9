//! What somebody asks for (HTTP/1.1, as far as a page needs it).

use riposte::Instant;
use riposte_network::{NetworkError, Stream};

/// Most bytes of a request that are looked at: longer ones are refused.
const LONGEST: usize = 2048;

/// What somebody asks for.
pub enum Asked {
    Page,
    State,
    Nothing,
    Garbled,
}

/// A request, as it comes.
pub struct Request {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Request {
    /// Nothing of it.
    pub const fn new() -> Request {
        Request {
            bytes: [0; LONGEST],
            length: 0,
        }
    }

    /// Reads all of it: to the empty line behind its head, or to the end.
    pub fn read(&mut self, stream: &Stream<'_>, until: Instant) -> Result<Asked, NetworkError> {
        loop {
            let come = self.bytes.get(..self.length).unwrap_or_default();
            if come.windows(4).any(|it| it == b"\r\n\r\n") {
                return Ok(asked(come));
            }
            let room = self.bytes.get_mut(self.length..).unwrap_or_default();
            if room.is_empty() {
                return Ok(Asked::Garbled);
            }
            match stream.read_until(room, until)? {
                0 => return Ok(Asked::Garbled),
                length => self.length += length,
            }
        }
    }
}

/// What the first line says.
fn asked(head: &[u8]) -> Asked {
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some(b"GET"), Some(path), Some(b"HTTP/1.0" | b"HTTP/1.1"), None) => match path {
            b"/" | b"/index.html" => Asked::Page,
            b"/state.json" => Asked::State,
            _ => Asked::Nothing,
        },
        _ => Asked::Garbled,
    }
}
