//! A client that waits.

use riposte::abi::MESSAGE_BYTES;
use riposte::{Error, Message, Status, Token};
use riposte_queue::protocol::REQUEST;

/// A client that waits. Its message is read when its turn comes, unless it came in registers.
pub struct Client {
    token: Token,
    badge: u32,
    in_registers: [u8; MESSAGE_BYTES],
    length: usize,
}

impl Client {
    /// The one that sent this.
    pub fn new(message: Message<'_>) -> Client {
        let mut in_registers = [0; MESSAGE_BYTES];
        let length = message.offered();
        if let Some(bytes) = in_registers.get_mut(..length) {
            bytes.copy_from_slice(message.bytes());
        }
        Client {
            badge: message.badge(),
            in_registers,
            length,
            token: message.into_token(),
        }
    }

    /// The badge of the connection through which it came.
    pub fn badge(&self) -> u32 {
        self.badge
    }

    /// Whether it is this one.
    pub fn is(&self, client: riposte::ClientId) -> bool {
        self.token.client() == client
    }

    /// Whether it does not wait any more.
    pub fn has_left(&self) -> bool {
        self.token.read(0, &mut []) == Err(Error::NoSuchClient)
    }

    /// Copies what it wants to put in into `buffer`; its length.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if it has left, or is told that its memory is not its own any more.
    pub fn message(&self, buffer: &mut [u8]) -> Result<usize, Error> {
        if let Some(bytes) = self.in_registers.get(..self.length) {
            if self.has_left() {
                return Err(Error::NoSuchClient);
            }
            let message = bytes.get(REQUEST..).unwrap_or_default();
            let length = message.len().min(buffer.len());
            buffer[..length].copy_from_slice(&message[..length]);
            return Ok(length);
        }
        let length = self.length.saturating_sub(REQUEST).min(buffer.len());
        match self.token.read(REQUEST as u32, buffer)? {
            read if read < length => Err(Error::NoSuchClient),
            read => Ok(read),
        }
    }

    /// Answers it with these bytes.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if it has left.
    pub fn answer(self, bytes: &[u8]) -> Result<usize, Error> {
        self.token.reply(bytes)
    }

    /// Answers it with an error. One that has left needs none.
    pub fn refuse(self, status: Status) {
        let _ = self.token.reply_error(status);
    }
}
