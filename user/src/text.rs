//! Text in somebody's room.

use core::fmt;

use crate::interface::CallError;

/// Text in a room of bytes: what the method of an interface writes into the room of its client.
///
/// ```
/// use core::fmt::Write;
/// use riposte::Text;
///
/// let mut room = [0; 16];
/// let mut text = Text::new(&mut room);
/// write!(text, "{} degrees", 21)?;
/// assert_eq!(text.as_str(), "21 degrees");
/// # Ok::<(), core::fmt::Error>(())
/// ```
#[derive(Debug)]
pub struct Text<'a> {
    room: &'a mut [u8],
    /// Bytes of the room that are text: always whole letters of UTF-8.
    length: usize,
}

impl<'a> Text<'a> {
    /// No text yet, and room for as much as `room` has bytes.
    pub fn new(room: &'a mut [u8]) -> Self {
        Text { room, length: 0 }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let bytes = self.room.get(..self.length).unwrap_or_default();
        core::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Bytes that the room has.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.room.len()
    }

    /// Takes the text away.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends `text`, whole or not at all.
    ///
    /// # Errors
    /// [`fmt::Error`] if there is no room for all of it.
    pub fn push_str(&mut self, text: &str) -> Result<(), fmt::Error> {
        let end = self.length + text.len();
        let room = self.room.get_mut(self.length..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }

    /// The room, without text, for a server's.
    #[doc(hidden)]
    pub fn room(&mut self) -> &mut [u8] {
        self.clear();
        self.room
    }

    /// The text is what a server has put into the first `length` bytes of the room.
    ///
    /// # Errors
    /// [`CallError::MALFORMED`] if there are fewer, or they are no UTF-8.
    #[doc(hidden)]
    pub fn adopt<E>(&mut self, length: usize) -> Result<(), CallError<E>> {
        let bytes = self.room.get(..length).ok_or(CallError::MALFORMED)?;
        core::str::from_utf8(bytes).map_err(|_| CallError::MALFORMED)?;
        self.length = length;
        Ok(())
    }
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text)
    }
}
