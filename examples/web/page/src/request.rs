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
    /// It is there, and something else is to be done with it than to read it.
    NotRead,
    Garbled,
}

/// A whole question.
pub struct Question {
    pub asked: Asked,
    /// Whether the head of the answer is enough (`HEAD`).
    pub of_head: bool,
}

impl Question {
    /// None that could be understood.
    const GARBLED: Question = Question {
        asked: Asked::Garbled,
        of_head: false,
    };
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
    pub fn read(&mut self, stream: &Stream<'_>, until: Instant) -> Result<Question, NetworkError> {
        loop {
            let come = self.bytes.get(..self.length).unwrap_or_default();
            if come.windows(4).any(|it| it == b"\r\n\r\n") {
                return Ok(asked(come));
            }
            let room = self.bytes.get_mut(self.length..).unwrap_or_default();
            if room.is_empty() {
                return Ok(Question::GARBLED);
            }
            match stream.read_until(room, until)? {
                0 => return Ok(Question::GARBLED),
                length => self.length += length,
            }
        }
    }
}

/// What the first line says.
fn asked(head: &[u8]) -> Question {
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ');
    let (Some(method), Some(path), Some(b"HTTP/1.0" | b"HTTP/1.1"), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Question::GARBLED;
    };
    if method.is_empty() || !method.iter().all(u8::is_ascii_uppercase) {
        return Question::GARBLED;
    }
    let asked = match path {
        b"/" | b"/index.html" => Asked::Page,
        b"/state.json" => Asked::State,
        _ => Asked::Nothing,
    };
    match (method, asked) {
        (b"GET" | b"HEAD", asked) | (_, asked @ Asked::Nothing) => Question {
            asked,
            of_head: method == b"HEAD",
        },
        _ => Question {
            asked: Asked::NotRead,
            of_head: false,
        },
    }
}
