//! Text in a fixed piece of memory.

use core::fmt::{self, Write};

/// Up to `BYTES` bytes of text; what doesn't fit is left out at the end.
pub struct Line<const BYTES: usize> {
    bytes: [u8; BYTES],
    length: usize,
}

impl<const BYTES: usize> Line<BYTES> {
    /// No text.
    #[must_use]
    pub const fn new() -> Self {
        Line {
            bytes: [0; BYTES],
            length: 0,
        }
    }

    /// The text so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Takes the text away.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends as much of `text` as fits and returns how many bytes that was.
    pub fn push(&mut self, text: &[u8]) -> usize {
        let room = self.bytes.get_mut(self.length..).unwrap_or_default();
        let taken = room.len().min(text.len());
        for (to, from) in room.iter_mut().zip(text) {
            *to = *from;
        }
        self.length += taken;
        taken
    }
}

impl<const BYTES: usize> Default for Line<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const BYTES: usize> Write for Line<BYTES> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use core::fmt::Write;

    use super::Line;

    #[test]
    fn what_does_not_fit_is_left_out() {
        let mut line = Line::<5>::new();
        write!(line, "abc{}", 4567).unwrap();
        assert_eq!(line.bytes(), b"abc45");
        line.clear();
        assert_eq!(line.push(b"xy"), 2);
        assert_eq!(line.bytes(), b"xy");
    }
}
