//! What is typed at the console, on its way to those who read it.
//!
//! A byte that comes is only kept. It is edited and echoed when somebody waits for a line, and neither when
//! somebody waits for a key: so whoever reads next decides what becomes of what was typed before.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod line;
mod ring;
#[cfg(test)]
mod tests;

use line::{Change, Line};
use ring::Ring;

/// Bytes of the longest line, with its end.
pub const LINE: usize = 256;
/// Bytes that are kept while nobody reads.
pub const KEPT: usize = 256;

/// What was typed and is not read yet.
pub struct Input {
    /// As it came.
    typed: Ring<KEPT>,
    /// What of it was edited and echoed.
    line: Line<LINE>,
    /// The last byte that was edited is a carriage return.
    returned: bool,
    lost: u32,
}

impl Default for Input {
    fn default() -> Input {
        Input::new()
    }
}

impl Input {
    /// Nothing.
    #[must_use]
    pub const fn new() -> Input {
        Input {
            typed: Ring::new(),
            line: Line::new(),
            returned: false,
            lost: 0,
        }
    }

    /// Keeps a byte that has come. If there is no room it is lost, and counted.
    pub fn push(&mut self, byte: u8) {
        if !self.typed.push(byte) {
            self.lose();
        }
    }

    /// Whether there is no room for one more byte.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.typed.is_full()
    }

    /// Counts a byte that was lost on its way here.
    pub fn lose(&mut self) {
        self.lost = self.lost.saturating_add(1);
    }

    /// Bytes that were lost since the beginning.
    #[must_use]
    pub fn lost(&self) -> u32 {
        self.lost
    }

    /// Edits what was typed until there is a line, and hands each part of its echo to `echo`. Returns the first
    /// `room` bytes of the line at most (no part of a character, if one fits), or `None` if its end is not
    /// typed yet. They stay until
    /// they are [taken](Input::take_line).
    pub fn line(&mut self, room: usize, mut echo: impl FnMut(&[u8])) -> Option<&[u8]> {
        while !self.line.is_whole() {
            let byte = self.next()?;
            match self.line.type_in(byte) {
                Change::Nothing => {}
                // A tab, which may be any number of places, as one: so it can be erased.
                Change::Added => echo(&[byte.max(b' ')]),
                Change::Removed(characters) => {
                    (0..characters).for_each(|_| echo(b"\x08 \x08"));
                }
                Change::Ended => {
                    self.returned = byte == b'\r';
                    echo(b"\n");
                }
                Change::Full => {
                    self.lose();
                    echo(b"\x07");
                }
            }
        }
        Some(self.line.beginning(room))
    }

    /// Forgets the first `count` bytes of the line.
    pub fn take_line(&mut self, count: usize) {
        self.line.take(count);
    }

    /// The oldest byte, as it was typed. It stays until it is [taken](Input::take_key).
    pub fn key(&mut self) -> Option<u8> {
        self.skip_line_feed();
        self.line.first().or(self.typed.first())
    }

    /// Forgets the oldest byte.
    pub fn take_key(&mut self) {
        if self.line.first().is_some() {
            self.line.take(1);
        } else {
            self.typed.pop();
        }
    }

    fn next(&mut self) -> Option<u8> {
        self.skip_line_feed();
        self.typed.pop()
    }

    /// A line feed behind the carriage return that ended a line belongs to it.
    fn skip_line_feed(&mut self) {
        let Some(byte) = self.typed.first() else {
            return;
        };
        if core::mem::take(&mut self.returned) && byte == b'\n' {
            self.typed.pop();
        }
    }
}
