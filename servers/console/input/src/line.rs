//! The line that is being typed.

/// Erases the last character.
const BACKSPACE: u8 = 0x08;
const DELETE: u8 = 0x7F;
/// Ctrl-U: erases the line.
const KILL: u8 = 0x15;
/// Ctrl-D: hands over what there is of the line, without an end. Nothing at all is the end of the input.
const END: u8 = 0x04;

/// A line of at most `N` bytes with its end.
pub struct Line<const N: usize> {
    bytes: [u8; N],
    length: usize,
    /// Its end was typed, and not all of it is taken.
    is_whole: bool,
    /// The last byte was of a character for which there is no room.
    is_cut: bool,
}

/// What a byte has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It means nothing in a line.
    Nothing,
    /// It is a part of the line now.
    Added,
    /// So many characters are gone.
    Removed(usize),
    /// The line is whole.
    Ended,
    /// There is no room for it: the line must be ended, or made shorter.
    Full,
}

impl<const N: usize> Line<N> {
    pub const fn new() -> Line<N> {
        Line {
            bytes: [0; N],
            length: 0,
            is_whole: false,
            is_cut: false,
        }
    }

    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Changes the line as the byte asks for.
    pub fn type_in(&mut self, byte: u8) -> Change {
        match byte {
            b'\r' | b'\n' => {
                self.put(b'\n');
                self.is_whole = true;
                Change::Ended
            }
            END => {
                self.is_whole = true;
                Change::Nothing
            }
            BACKSPACE | DELETE => Change::Removed(usize::from(self.erase())),
            KILL => Change::Removed((0..self.length).take_while(|_| self.erase()).count()),
            b'\t' | b' '.. => {
                // A character that does not fit whole is left out whole: half of it would be no text. (Of the byte's
                // ones, `| 1` makes room for at least as many bytes as the character has.)
                let needed = byte.leading_ones() as usize | 1;
                self.is_cut = (self.is_cut && !is_first(byte)) || self.length + needed >= N;
                if self.is_cut {
                    return Change::Full;
                }
                self.put(byte);
                Change::Added
            }
            _ => Change::Nothing,
        }
    }

    /// Puts a byte behind the others, where there is room: the last place is that of the line's end.
    fn put(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    /// Erases the last character. Returns whether there was one.
    fn erase(&mut self) -> bool {
        let before = self.length;
        while let [rest @ .., last] = self.text() {
            let (length, is_first) = (rest.len(), is_first(*last));
            self.length = length;
            if is_first {
                break;
            }
        }
        self.length < before
    }

    /// Its first byte.
    pub fn first(&self) -> Option<u8> {
        self.text().first().copied()
    }

    /// What there is of it. (That there are so many bytes is not checked by a panic, whose text is larger than this.)
    fn text(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Its first bytes, `room` at most: no part of a character, unless it would be nothing.
    pub fn beginning(&self, room: usize) -> &[u8] {
        let line = self.text();
        let begins = |place: &usize| line.get(*place).is_none_or(|byte| is_first(*byte));
        let whole = (1..=room.min(line.len())).rev().find(begins);
        line.get(..whole.unwrap_or(room)).unwrap_or(line)
    }

    /// Forgets its first bytes.
    pub fn take(&mut self, count: usize) {
        let count = count.min(self.length);
        self.length -= count;
        for place in 0..self.length {
            let from = self.bytes.get(place + count).copied();
            if let (Some(from), Some(to)) = (from, self.bytes.get_mut(place)) {
                *to = from;
            }
        }
        self.is_whole &= self.length > 0;
    }
}

/// Whether a character of UTF-8 begins with this byte.
fn is_first(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}
