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
    /// Behind an escape and a bracket.
    Bracketed,
    /// Behind an escape and two brackets: a byte more belongs to them (the function keys of Linux's console).
    DoublyBracketed,
    /// In what stands between the bracket and the last byte.
    Numbered(Numbers),
}

/// What stood between the bracket and the last byte so far (ECMA-48, 5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Digits of the first number.
    First(u8),
    /// The first number, and others behind it: a modifier. The key is the same.
    Others(u8),
    /// What no key here has.
    Unknown,
}

impl Keys {
    /// What comes of the next byte, if that is a whole key.
    pub fn take(&mut self, byte: u8) -> Option<Key> {
        match core::mem::take(self) {
            Keys::Between => self.begin(byte),
            Keys::Returned if byte == b'\n' => None,
            Keys::Returned => self.begin(byte),
            Keys::Escaped if matches!(byte, b'[' | b'O') => {
                *self = Keys::Bracketed;
                None
            }
            // An escape by itself means nothing.
            Keys::Escaped => self.begin(byte),
            // Nothing else stands in a key: it will never be whole, and the byte is for itself.
            _ if !matches!(byte, b' '..=b'~') => self.begin(byte),
            Keys::DoublyBracketed => None,
            Keys::Bracketed if byte == b'[' => {
                *self = Keys::DoublyBracketed;
                None
            }
            Keys::Bracketed => self.numbered(Numbers::First(0), byte),
            Keys::Numbered(numbers) => self.numbered(numbers, byte),
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

    fn numbered(&mut self, numbers: Numbers, byte: u8) -> Option<Key> {
        let numbers = match (numbers, byte) {
            (Numbers::First(number), b'0'..=b'9') => {
                Numbers::First(number.saturating_mul(10).saturating_add(byte - b'0'))
            }
            (Numbers::First(number) | Numbers::Others(number), b';') => Numbers::Others(number),
            (Numbers::Others(_), b'0'..=b'9') => numbers,
            (_, b' '..=b'?') => Numbers::Unknown,
            (Numbers::First(number) | Numbers::Others(number), last) => return key(number, last),
            (Numbers::Unknown, _) => return None,
        };
        *self = Keys::Numbered(numbers);
        None
    }
}

/// The key with this number, 0 if it has none, and this last byte.
fn key(number: u8, last: u8) -> Option<Key> {
    Some(match (number, last) {
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
