//! The keys of a board's console, pressed by a person or because a test asks for it.

use std::io::{self, Write};
use std::process::ChildStdin;
use std::sync::{Arc, Mutex, PoisonError};

use super::Said;

/// How a line on the console begins that asks for keys: `@type yes\n` is a line, with its end.
const ASKED: &str = "@type ";

/// The keys. They stay until the run ends, whether anybody types or not.
#[derive(Clone)]
pub(super) struct Keys(Arc<Mutex<ChildStdin>>);

impl Keys {
    pub(super) fn new(input: ChildStdin) -> Keys {
        Keys(Arc::new(Mutex::new(input)))
    }

    /// Types these bytes.
    pub(super) fn press(&self, bytes: &[u8]) -> io::Result<()> {
        let mut input = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        input.write_all(bytes)?;
        input.flush()
    }

    /// Types what the board asks for, if it does.
    pub(super) fn asked_for(&self, said: &Said<'_>) {
        let Said::Line(line) = said else {
            return;
        };
        if let Some(text) = line.strip_prefix(ASKED) {
            // A board that has ended needs no keys.
            let _ = self.press(&unescaped(text));
        }
    }
}

/// The bytes that a text means: `\n`, `\r` and `\xNN` in it are one each, and so is `\\`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        let (byte, behind) = match (first, more) {
            (b'\\', [b'n', behind @ ..]) => (b'\n', behind),
            (b'\\', [b'r', behind @ ..]) => (b'\r', behind),
            (b'\\', [b'x', high, low, behind @ ..]) => (16 * digit(*high) + digit(*low), behind),
            (b'\\', [other, behind @ ..]) => (*other, behind),
            _ => (*first, more),
        };
        bytes.push(byte);
        rest = behind;
    }
    bytes
}

fn digit(letter: u8) -> u8 {
    let value = char::from(letter).to_digit(16);
    value.map_or(0, |value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn keys_that_are_no_letters_are_written_with_a_backslash() {
        assert_eq!(unescaped(r"a\\b\n\r\x7Fc\xff"), b"a\\b\n\r\x7Fc\xFF");
    }
}
