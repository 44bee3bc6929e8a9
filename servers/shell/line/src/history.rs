//! The last lines.

use crate::{KEPT, LINE};

/// Lines, the newest first. A line that is the same as the one before is kept once.
pub struct History {
    lines: [[u8; LINE]; KEPT],
    lengths: [usize; KEPT],
    /// Where the next line goes.
    next: usize,
}

impl History {
    pub const fn new() -> History {
        History {
            lines: [[0; LINE]; KEPT],
            lengths: [0; KEPT],
            next: 0,
        }
    }

    /// Keeps a line, unless it is empty or the last one.
    pub fn push(&mut self, line: &[u8]) {
        if line.is_empty() || self.line(0) == Some(line) {
            return;
        }
        let length = line.len().min(LINE);
        self.lines[self.next][..length].copy_from_slice(&line[..length]);
        self.lengths[self.next] = length;
        self.next = (self.next + 1) % KEPT;
    }

    /// The line so many before the newest one.
    pub fn line(&self, age: usize) -> Option<&[u8]> {
        let place = (self.next + KEPT).checked_sub(1 + age)? % KEPT;
        let length = self.lengths[place];
        (age < KEPT && length > 0).then(|| &self.lines[place][..length])
    }
}
