//! The keys of a board's console, pressed by a person or because a test asks for it.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};

use super::Said;

/// How a line on the console begins that asks for keys: `@type yes\n` is a line, with its end.
const ASKED: &str = "@type ";

/// What is said when keys are lost that the board has asked for.
pub(super) const LOST: &str = "riposte: the board asks for keys and takes none: some are lost";

/// How often somebody may type before the board takes what was typed first.
const AHEAD: usize = 4096;

/// The keys. They stay until the run ends, whether anybody types or not.
#[derive(Clone)]
pub(super) struct Keys(SyncSender<Vec<u8>>);

impl Keys {
    /// Those of a board with this input. Another thread writes there: a board that takes none keeps nobody who watches it.
    pub(super) fn new(mut input: ChildStdin) -> Keys {
        let (press, pressed) = sync_channel::<Vec<u8>>(AHEAD);
        std::thread::spawn(move || {
            // A board that has ended needs no keys.
            let _ = pressed.iter().try_for_each(|it| input.write_all(&it));
        });
        Keys(press)
    }

    /// Types these bytes. Waits while too many are before them.
    ///
    /// Returns whether the board listens still.
    pub(super) fn press(&self, bytes: &[u8]) -> bool {
        self.0.send(bytes.to_vec()).is_ok()
    }

    /// Types these bytes, unless too many are before them. It never waits.
    ///
    /// # Errors
    /// If they are lost.
    pub(super) fn offer(&self, bytes: &[u8]) -> Result<(), TrySendError<Vec<u8>>> {
        self.0.try_send(bytes.to_vec())
    }

    /// Types what the board asks for, if it does, as [`Keys::offer`].
    ///
    /// Returns whether keys are lost that the board has asked for.
    pub(super) fn asked_for(&self, said: &Said<'_>) -> bool {
        let Said::Line(line) = said else {
            return false;
        };
        let text = line.strip_prefix(ASKED);
        let offered = text.map(|text| self.offer(&unescaped(text)));
        matches!(offered, Some(Err(TrySendError::Full(_))))
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
