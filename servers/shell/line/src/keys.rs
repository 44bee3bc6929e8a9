//! From the bytes that a terminal sends to the keys of a line editor.

/// What a person wants of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Put this byte here. A character that is not of ASCII comes as several.
    Byte(u8),
    /// The line is whole.
    Enter,
    /// Ctrl-C: forget the line.
    Cancel,
    /// Ctrl-D: the end of the input, if the line is empty; else as [`Key::Delete`].
    End,
    /// Tab: complete the word.
    Complete,
    /// One character to the left.
    Left,
    /// One character to the right.
    Right,
    /// To the line's beginning.
    First,
    /// To the line's end.
    Last,
    /// Erase the character before.
    Backspace,
    /// Erase the character here.
    Delete,
    /// Erase the word before.
    EraseWord,
    /// Erase all that is before.
    EraseBefore,
    /// Erase all that is behind.
    EraseBehind,
    /// The line before this one.
    Older,
    /// The line after this one.
    Newer,
}

/// Where in the sequence of bytes of a key the last byte was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// Between two.
    #[default]
    Between,
    /// The last byte ended a line by a carriage return: a line feed belongs to it.
    Returned,
    /// Behind an escape.
    Escaped,
    /// Behind an escape and a bracket, and perhaps a number.
    Bracketed(u8),
}

impl Keys {
    /// What comes of the next byte, if that is a whole key.
    pub fn take(&mut self, byte: u8) -> Option<Key> {
        match core::mem::take(self) {
            Keys::Between => self.begin(byte),
            Keys::Returned if byte == b'\n' => None,
            Keys::Returned => self.begin(byte),
            Keys::Escaped if matches!(byte, b'[' | b'O') => {
                *self = Keys::Bracketed(0);
                None
            }
            // An escape by itself means nothing.
            Keys::Escaped => self.begin(byte),
            Keys::Bracketed(number) => self.bracketed(number, byte),
        }
    }

    fn begin(&mut self, byte: u8) -> Option<Key> {
        Some(match byte {
            b'\r' => {
                *self = Keys::Returned;
                Key::Enter
            }
            b'\n' => Key::Enter,
            b'\t' => Key::Complete,
            0x01 => Key::First,
            0x02 => Key::Left,
            0x03 => Key::Cancel,
            0x04 => Key::End,
            0x05 => Key::Last,
            0x06 => Key::Right,
            0x08 | 0x7F => Key::Backspace,
            0x0B => Key::EraseBehind,
            0x0E => Key::Newer,
            0x10 => Key::Older,
            0x15 => Key::EraseBefore,
            0x17 => Key::EraseWord,
            0x1B => {
                *self = Keys::Escaped;
                return None;
            }
            b' '.. => Key::Byte(byte),
            _ => return None,
        })
    }

    fn bracketed(&mut self, number: u8, byte: u8) -> Option<Key> {
        Some(match (number, byte) {
            (_, b'0'..=b'9') => {
                *self = Keys::Bracketed(number.saturating_mul(10).saturating_add(byte - b'0'));
                return None;
            }
            // A modifier: the key is the same.
            (_, b';') => {
                *self = Keys::Bracketed(0);
                return None;
            }
            (_, b'A') => Key::Older,
            (_, b'B') => Key::Newer,
            (_, b'C') => Key::Right,
            (_, b'D') => Key::Left,
            (_, b'H') | (1 | 7, b'~') => Key::First,
            (_, b'F') | (4 | 8, b'~') => Key::Last,
            (3, b'~') => Key::Delete,
            _ => return None,
        })
    }
}
