//! Clients that wait for a byte, or for room.

use pipe_store::{For, Waits};
use riposte::abi::{MESSAGE_BYTES, MESSAGE_WORDS};
use riposte::{Error, Message, Status, Token};
use riposte_pipe::protocol::REQUEST;

/// Those who wait.
pub type Waiting = pipe_store::Waiting<Waiter>;

/// A client that waits.
pub struct Waiter {
    pub token: Token,
    pub badge: u32,
    pub what: For,
    /// What came in registers behind its request. Anything longer is still the client's, and is read when its turn comes.
    rest: [u32; MESSAGE_WORDS - REQUEST / 4],
    /// Bytes of its request.
    offered: usize,
}

impl Waits for Waiter {
    #[inline(always)]
    fn owner(&self) -> u32 {
        self.badge
    }

    #[inline(always)]
    fn what(&self) -> &For {
        &self.what
    }
}

impl Waiter {
    /// The one that sent this.
    pub fn new(message: Message<'_>, what: For) -> Waiter {
        let [_, _, rest @ ..] = message.words();
        Waiter {
            badge: message.badge(),
            what,
            rest,
            offered: message.offered(),
            token: message.into_token(),
        }
    }

    /// Copies what it wants to write to two places, as far as there is room; how many bytes, none of one that has left.
    pub fn write_to(&self, [first, second]: [&mut [u8]; 2]) -> usize {
        if self.offered > MESSAGE_BYTES {
            return take(&self.token, [first, second]);
        }
        let mut bytes = [0; MESSAGE_BYTES];
        let length = self.bytes(&mut bytes).unwrap_or(0);
        let places = first.iter_mut().chain(second);
        places
            .zip(bytes.iter().take(length))
            .fold(0, |count, (to, from)| {
                *to = *from;
                count + 1
            })
    }

    /// How many bytes it wants to write.
    pub fn length(&self) -> usize {
        self.offered.saturating_sub(REQUEST)
    }

    /// How many bytes it wants to read, at most.
    pub fn room(&self) -> usize {
        let [room, ..] = self.rest;
        room as usize
    }

    /// Copies what is behind its request into `buffer`, as far as there is room; how many bytes.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if it has left.
    pub fn bytes(&self, buffer: &mut [u8]) -> Result<usize, Error> {
        if self.offered > MESSAGE_BYTES {
            return self.token.read(REQUEST as u32, buffer);
        }
        self.token.read(0, &mut [])?;
        let bytes = self.rest.iter().flat_map(|word| word.to_le_bytes());
        let bytes = bytes.take(self.length());
        buffer
            .iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = from);
        Ok(self.length().min(buffer.len()))
    }

    /// Answers it. Returns how many bytes it has taken: none if it has left.
    pub fn answer(self, bytes: &[u8]) -> usize {
        self.token.reply(bytes).unwrap_or(0)
    }

    /// Answers it with an error. One that has left needs none.
    pub fn refuse(self, status: Status) {
        let _ = self.token.reply_error(status);
    }
}

/// Copies what is behind a client's request from where it lies to two places; how many bytes, none of one that has left.
pub fn take(client: &Token, [first, second]: [&mut [u8]; 2]) -> usize {
    let copied = client.read(REQUEST as u32, first).unwrap_or(0);
    if copied < first.len() || second.is_empty() {
        return copied;
    }
    let rest = client.read((REQUEST + copied) as u32, second);
    rest.map_or(0, |rest| copied + rest)
}
