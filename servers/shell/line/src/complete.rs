//! What could follow of a word.

use crate::LINE;
use crate::words::is_of_word;

/// The word that is completed behind what is `before` the cursor, and whether it is a command: the first word of a line is, and
/// what comes behind `|`.
#[must_use]
pub fn to_complete(before: &str) -> (bool, &str) {
    let ends = |letter| !is_of_word(letter);
    let (left, word) = match before.rsplit_once(ends) {
        Some((_, word)) => (&before[..before.len() - word.len()], word),
        None => ("", before),
    };
    let left = left.trim_end();
    let is_first = left.is_empty() || left.ends_with('|');
    (is_first, word)
}

/// Collects what names that begin with a word have in common behind it.
#[derive(Debug)]
pub struct Completer<'a> {
    word: &'a str,
    rest: [u8; LINE],
    length: usize,
    count: usize,
}

/// What names that begin with a word have in common behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion<'a> {
    /// There is no such name.
    None,
    /// One begins so: this is its rest.
    One(&'a str),
    /// Several begin so, and go on alike so far.
    Several(&'a str),
}

impl<'a> Completer<'a> {
    /// Of no names yet.
    #[must_use]
    pub const fn new(word: &'a str) -> Completer<'a> {
        Completer {
            word,
            rest: [0; LINE],
            length: 0,
            count: 0,
        }
    }

    /// The word.
    #[must_use]
    pub const fn word(&self) -> &'a str {
        self.word
    }

    /// Whether the word can become this name: it begins so, and all of it would be one word of a line. Anybody makes files: what
    /// they are called is not to say what the line does.
    #[must_use]
    pub fn completes_to(&self, name: &str) -> bool {
        name.len() <= LINE && name.starts_with(self.word) && name.chars().all(is_of_word)
    }

    /// A name that there is.
    pub fn offer(&mut self, name: &str) {
        if !self.completes_to(name) {
            return;
        }
        let rest = name.strip_prefix(self.word).unwrap_or_default();
        let same = match self.count {
            0 => {
                self.rest[..rest.len()].copy_from_slice(rest.as_bytes());
                rest.len()
            }
            _ => common(self.text(), rest),
        };
        self.length = same;
        self.count += 1;
    }

    /// What comes of all that were offered.
    #[must_use]
    pub fn completion(&self) -> Completion<'_> {
        match self.count {
            0 => Completion::None,
            1 => Completion::One(self.text()),
            _ => Completion::Several(self.text()),
        }
    }

    fn text(&self) -> &str {
        // Cut between characters only.
        str::from_utf8(&self.rest[..self.length]).unwrap_or_default()
    }
}

/// Bytes of the characters with which both begin.
fn common(one: &str, other: &str) -> usize {
    let pairs = one.chars().zip(other.chars());
    pairs
        .take_while(|(letter, with)| letter == with)
        .map(|(letter, _)| letter.len_utf8())
        .sum()
}
