//! What somebody is answered.

use core::fmt::{self, Write};

use riposte::Instant;
use riposte_network::{NetworkError, Stream};

/// Bytes that are written at once.
const PIECE: usize = 512;

/// An answer, written piece by piece: its end is that of the connection.
pub struct Response<'a> {
    stream: &'a Stream<'a>,
    until: Instant,
    piece: [u8; PIECE],
    length: usize,
    /// Whether what is written now is for nobody: the body for who asks for the head.
    is_left_out: bool,
    failed: Option<NetworkError>,
}

impl<'a> Response<'a> {
    /// Nothing yet. Whoever does not take what is written is waited for `until` then.
    pub fn new(stream: &'a Stream<'a>, until: Instant) -> Response<'a> {
        Response {
            stream,
            until,
            piece: [0; PIECE],
            length: 0,
            is_left_out: false,
            failed: None,
        }
    }

    /// The head, but for its end.
    pub fn begin(&mut self, status: &str, kind: &str) {
        self.format(format_args!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nCache-Control: no-store\r\nConnection: close\r\n"
        ));
    }

    /// The head's end. What comes then is the body, which is left out for who asks `of_head`.
    pub fn body(&mut self, of_head: bool) {
        self.text("\r\n");
        self.is_left_out = of_head;
    }

    /// Text.
    pub fn text(&mut self, text: &str) {
        if self.is_left_out {
            return;
        }
        for byte in text.bytes() {
            if let Some(place) = self.piece.get_mut(self.length) {
                *place = byte;
                self.length += 1;
            }
            if self.length == PIECE {
                self.send();
            }
        }
    }

    /// Text that is made.
    pub fn format(&mut self, arguments: fmt::Arguments<'_>) {
        // What goes wrong is kept.
        let _ = self.write_fmt(arguments);
    }

    /// Text in which nothing is a mark of HTML, or ends a string of JSON: what is neither letter, digit nor one of a few
    /// others stays out. (Names in a manifest have no such.)
    pub fn name(&mut self, name: &str) {
        let is_plain = |it: &char| it.is_ascii_alphanumeric() || "-_./ ".contains(*it);
        for letter in name.chars().filter(is_plain) {
            self.format(format_args!("{letter}"));
        }
    }

    /// What is left, and the end.
    pub fn end(mut self) -> Result<(), NetworkError> {
        self.send();
        match self.failed {
            Some(error) => Err(error),
            None => self.stream.finish(),
        }
    }

    fn send(&mut self) {
        let piece = self.piece.get(..self.length).unwrap_or_default();
        if self.failed.is_none() {
            self.failed = self.stream.write_all_until(piece, self.until).err();
        }
        self.length = 0;
    }
}

impl Write for Response<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text(text);
        Ok(())
    }
}
