//! The line that is being typed.

use crate::LINE;
use crate::history::History;
use crate::keys::{Key, Keys};

/// Erases from the cursor to the end of the terminal's line.
const ERASE: &[u8] = b"\x1b[K";
const BELL: &[u8] = b"\x07";

/// Characters that are shown at a time: with the prompt they are fewer than a terminal has columns, since no backspace leads
/// back from its next line.
const SHOWN: usize = 76;

/// A line of at most [`LINE`] bytes, and those before it.
pub struct Editor {
    line: [u8; LINE],
    length: usize,
    /// Bytes before the cursor: a whole number of characters.
    cursor: usize,
    /// Bytes before what is shown: a whole number of characters. The cursor is at one that is shown, or behind them; at the
    /// first one if nothing is before it.
    from: usize,
    keys: Keys,
    /// What has come of a character of several bytes, and how many.
    character: ([u8; 4], usize),
    history: History,
    /// The line of the history that is shown: 0 is the one that is being typed.
    shown: usize,
    /// That one, while another one is shown, and how many bytes it has.
    typed: ([u8; LINE], usize),
}

/// What comes of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The line goes on.
    Nothing,
    /// The line is whole: [`Editor::text`] until [`Editor::begin`].
    Line,
    /// The line was given up.
    Cancelled,
    /// There will be no more.
    End,
    /// The word before the cursor is to be completed: see [`Editor::insert`].
    Complete,
}

impl Default for Editor {
    fn default() -> Editor {
        Editor::new()
    }
}

impl Editor {
    /// An empty line, and no history.
    #[must_use]
    pub const fn new() -> Editor {
        Editor {
            line: [0; LINE],
            length: 0,
            cursor: 0,
            from: 0,
            keys: Keys::Between,
            character: ([0; 4], 0),
            history: History::new(),
            shown: 0,
            typed: ([0; LINE], 0),
        }
    }

    /// A new line, empty. The one before is in the history.
    pub fn begin(&mut self) {
        self.history.push(&self.line[..self.length]);
        (self.length, self.cursor, self.from, self.shown) = (0, 0, 0, 0);
    }

    /// The line. What is no text in it is left out at its end.
    #[must_use]
    pub fn text(&self) -> &str {
        text_of(&self.line[..self.length])
    }

    /// What is before the cursor.
    #[must_use]
    pub fn before(&self) -> &str {
        text_of(&self.line[..self.cursor])
    }

    /// Takes a byte that was typed. What the terminal is to show goes to `show`.
    pub fn take(&mut self, byte: u8, mut show: impl FnMut(&[u8])) -> Event {
        let Some(key) = self.keys.take(byte) else {
            return Event::Nothing;
        };
        let show = &mut show;
        match key {
            Key::Enter => {
                self.go(self.length, show);
                show(b"\n");
                return Event::Line;
            }
            Key::Cancel => {
                show(b"^C\n");
                (self.length, self.cursor, self.from, self.shown) = (0, 0, 0, 0);
                return Event::Cancelled;
            }
            Key::End if self.length == 0 => {
                show(b"\n");
                return Event::End;
            }
            Key::Complete => return Event::Complete,
            Key::Byte(byte) => self.take_part(byte, show),
            Key::Left => self.go(self.previous(self.cursor), show),
            Key::Right => self.go(self.following(self.cursor), show),
            Key::First => self.go(0, show),
            Key::Last => self.go(self.length, show),
            Key::Backspace => self.erase(self.previous(self.cursor), self.cursor, show),
            Key::Delete | Key::End => {
                self.erase(self.cursor, self.following(self.cursor), show);
            }
            Key::EraseWord => self.erase(self.word(), self.cursor, show),
            Key::EraseBefore => self.erase(0, self.cursor, show),
            Key::EraseBehind => self.erase(self.cursor, self.length, show),
            Key::Older => self.turn(self.shown + 1, show),
            Key::Newer => match self.shown {
                0 => show(BELL),
                shown => self.turn(shown - 1, show),
            },
        }
        Event::Nothing
    }

    /// Puts text at the cursor, as if it were typed: all of it, or nothing where there is no room. Whether there was.
    pub fn insert(&mut self, text: &str, mut show: impl FnMut(&[u8])) -> bool {
        self.put(text.as_bytes(), &mut show)
    }

    /// Shows the line anew, where the cursor of the terminal is at the beginning of an empty line behind a prompt.
    pub fn redraw(&self, mut show: impl FnMut(&[u8])) {
        self.show_from(self.from, &mut show);
    }

    /// Takes a byte of a character, and the character when it is whole. What is none is left out.
    fn take_part(&mut self, byte: u8, show: &mut impl FnMut(&[u8])) {
        let (bytes, length) = &mut self.character;
        if is_first(byte) {
            *length = 0;
        }
        bytes[*length % 4] = byte;
        *length = (*length + 1).min(4);
        let (bytes, length) = self.character;
        if str::from_utf8(&bytes[..length]).is_ok() {
            self.character.1 = 0;
            self.put(&bytes[..length], show);
        }
    }

    /// Whether there is room.
    fn put(&mut self, bytes: &[u8], show: &mut impl FnMut(&[u8])) -> bool {
        let (start, end) = (self.cursor, self.cursor + bytes.len());
        if self.length + bytes.len() > LINE {
            show(BELL);
            return false;
        }
        self.line.copy_within(start..self.length, end);
        self.line[start..end].copy_from_slice(bytes);
        self.length += bytes.len();
        self.cursor = end;
        if self.is_shown() {
            let end = self.end();
            show(&self.line[start..end]);
            self.back(end, show);
        } else {
            self.scroll(start, show);
        }
        true
    }

    /// Erases what is from `start` to `end`, one of which is the cursor.
    fn erase(&mut self, start: usize, end: usize, show: &mut impl FnMut(&[u8])) {
        if start == end {
            return show(BELL);
        }
        self.go(start, show);
        self.line.copy_within(end..self.length, start);
        self.length -= end - start;
        self.show_from(start, show);
    }

    /// Moves the cursor.
    fn go(&mut self, to: usize, show: &mut impl FnMut(&[u8])) {
        let from = core::mem::replace(&mut self.cursor, to);
        if !self.is_shown() {
            self.scroll(from, show);
        } else if to < from {
            self.back(from, show);
        } else {
            show(&self.line[from..to]);
        }
    }

    /// Moves the terminal's cursor, which is at `from`, back to where the line's is.
    fn back(&self, from: usize, show: &mut impl FnMut(&[u8])) {
        let passed = &self.line[self.cursor..from];
        for _ in 0..characters(passed) {
            show(b"\x08");
        }
    }

    /// Whether the cursor is where something is shown.
    fn is_shown(&self) -> bool {
        let before = self.line.get(self.from..self.cursor);
        before.is_some_and(|it| characters(it) <= SHOWN && (self.from == 0 || !it.is_empty()))
    }

    /// Shows what is around the cursor. The terminal's is still at `from`, of what is shown.
    fn scroll(&mut self, from: usize, show: &mut impl FnMut(&[u8])) {
        for _ in 0..characters(&self.line[self.from..from]) {
            show(b"\x08");
        }
        self.from = (0..SHOWN / 2).fold(self.cursor, |place, _| self.previous(place));
        self.show_from(self.from, show);
    }

    /// Where ends what is shown.
    fn end(&self) -> usize {
        (0..SHOWN).fold(self.from, |place, _| self.following(place))
    }

    /// Shows what there is from `start` on, where the terminal's cursor is, and nothing behind it; then the cursor.
    fn show_from(&self, start: usize, show: &mut impl FnMut(&[u8])) {
        let end = self.end();
        show(&self.line[start..end]);
        show(ERASE);
        self.back(end, show);
    }

    /// Shows the line of the history that is this old in place of the one that is shown.
    fn turn(&mut self, to: usize, show: &mut impl FnMut(&[u8])) {
        if self.shown == 0 && self.history.line(0).is_some() {
            self.typed = (self.line, self.length);
        }
        let line = match to.checked_sub(1) {
            None => &self.typed.0[..self.typed.1],
            Some(age) => match self.history.line(age) {
                Some(line) => line,
                None => return show(BELL),
            },
        };
        let length = line.len();
        let mut text = [0; LINE];
        text[..length].copy_from_slice(line);
        self.go(0, show);
        (self.line, self.length, self.shown) = (text, length, to);
        self.show_from(0, show);
        self.go(length, show);
    }

    /// Where the character before `place` begins.
    fn previous(&self, place: usize) -> usize {
        let mut places = (0..place).rev();
        places.find(|it| is_first(self.line[*it])).unwrap_or(0)
    }

    /// Where the character at `place` ends.
    fn following(&self, place: usize) -> usize {
        let mut places = place + 1..self.length;
        let next = places.find(|it| is_first(self.line[*it]));
        next.unwrap_or(self.length)
    }

    /// Where the word before the cursor begins.
    fn word(&self) -> usize {
        let before = &self.line[..self.cursor];
        let end = before
            .iter()
            .rposition(|it| *it != b' ')
            .map_or(0, |it| it + 1);
        let blank = before[..end].iter().rposition(|it| *it == b' ');
        blank.map_or(0, |it| it + 1)
    }
}

/// How many characters these bytes have.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| is_first(**byte)).count()
}

/// Whether a character of UTF-8 begins with this byte.
fn is_first(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// The text of these bytes, up to what is none.
fn text_of(bytes: &[u8]) -> &str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}
