//! Readers that wait for the next record.

use riposte::{Error, Token};

/// Most that can be kept waiting.
const MOST: usize = 8;

/// Those who wait.
pub struct Readers([Option<Token>; MOST]);

impl Readers {
    /// Nobody.
    pub const fn new() -> Readers {
        Readers([const { None }; MOST])
    }

    /// Whether one more can wait. Those who have left, at their deadline or by their end, wait no longer.
    pub fn has_room(&mut self) -> bool {
        for place in &mut self.0 {
            if place.as_ref().is_some_and(has_left) {
                *place = None;
            }
        }
        self.0.iter().any(Option::is_none)
    }

    /// Keeps one, if there is room.
    pub fn keep(&mut self, reader: Token) {
        if let Some(place) = self.0.iter_mut().find(|place| place.is_none()) {
            *place = Some(reader);
        }
    }

    /// There is a record: all go on.
    pub fn wake(&mut self) {
        for reader in self.0.iter_mut().filter_map(Option::take) {
            // One that has left needs no answer.
            let _ = reader.reply_words([]);
        }
    }
}

fn has_left(reader: &Token) -> bool {
    reader.read(0, &mut []) == Err(Error::NoSuchClient)
}
