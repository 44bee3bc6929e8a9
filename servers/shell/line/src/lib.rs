//! What a person types at a shell, from keys to words.
//!
//! The [`Editor`] takes keys as a terminal sends them, and says what to show; [`Words`] cuts a line into commands, words
//! and redirections; [`nearest`] finds what was meant by a word that is none of those that there are. Nothing here knows of
//! messages: it is tested on the host.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod complete;
mod editor;
mod history;
mod keys;
mod nearest;
mod seconds;
#[cfg(test)]
mod tests;
mod words;

pub use complete::{Completer, Completion, to_complete};
pub use editor::{Editor, Event};
pub use nearest::{distance, nearest};
pub use seconds::nanoseconds;
pub use words::{COMMANDS, Redirection, Words, WordsError};

/// Bytes of the longest line.
pub const LINE: usize = 128;
/// Lines that the history keeps.
pub const KEPT: usize = 8;
