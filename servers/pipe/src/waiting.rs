//! Clients that wait for a byte, or for room.

use pipe_store::{End, Side};
use riposte::abi::{MESSAGE_BYTES, MESSAGE_WORDS};
use riposte::{ClientId, Error, Message, Status, Token};
use riposte_pipe::protocol::REQUEST;

/// Most clients that can wait.
pub const MOST: usize = 32;

/// A client that waits.
pub struct Waiter {
    token: Token,
    badge: u32,
    end: End,
    pub pipe: usize,
    pub side: Side,
    /// What came in registers. Anything longer is still the client's, and is read when its turn comes.
    words: [u32; MESSAGE_WORDS],
    /// Bytes of its request.
    offered: usize,
}

impl Waiter {
    /// The one that sent this, at its end on this side of a pipe.
    pub fn new(message: Message<'_>, end: End, pipe: usize, side: Side) -> Waiter {
        Waiter {
            badge: message.badge(),
            end,
            pipe,
            side,
            words: message.words(),
            offered: message.offered(),
            token: message.into_token(),
        }
    }

    /// How many bytes it wants to write.
    pub fn length(&self) -> usize {
        self.offered.saturating_sub(REQUEST)
    }

    /// How many bytes it wants to read, at most.
    pub fn room(&self) -> usize {
        room(&self.words)
    }

    /// Copies what it wants to write into `buffer`, as far as there is room; how many bytes.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if it has left.
    pub fn bytes(&self, buffer: &mut [u8]) -> Result<usize, Error> {
        if self.offered > MESSAGE_BYTES {
            return self.token.read(REQUEST as u32, buffer);
        }
        self.token.read(0, &mut [])?;
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        let bytes = bytes.skip(REQUEST).take(self.length());
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

/// How many bytes a request to read wants, at most.
#[inline(always)]
pub fn room([_, _, room, ..]: &[u32; MESSAGE_WORDS]) -> usize {
    *room as usize
}

/// Those who wait, in the order in which they came: the first `count` places are taken.
pub struct Waiting {
    places: [Option<Waiter>; MOST],
    count: usize,
}

impl Waiting {
    /// Nobody.
    pub const fn new() -> Waiting {
        Waiting {
            places: [const { None }; MOST],
            count: 0,
        }
    }

    fn all(&self) -> impl Iterator<Item = &Waiter> {
        self.places.iter().take(self.count).flatten()
    }

    /// Puts one behind the others.
    ///
    /// # Errors
    /// The waiter, if `most` threads of its process wait already.
    pub fn push(&mut self, waiter: Waiter, most: usize) -> Result<(), Waiter> {
        let is_own = |other: &&Waiter| other.badge == waiter.badge;
        if self.all().filter(is_own).count() >= most {
            return Err(waiter);
        }
        match self.places.get_mut(self.count) {
            Some(place) => {
                *place = Some(waiter);
                self.count += 1;
                Ok(())
            }
            None => Err(waiter),
        }
    }

    /// The one that came first at this side of a pipe.
    pub fn first(&self, pipe: usize, side: Side) -> Option<&Waiter> {
        self.all()
            .find(|waiter| waiter.pipe == pipe && waiter.side == side)
    }

    /// Takes that one.
    pub fn pop(&mut self, pipe: usize, side: Side) -> Option<Waiter> {
        let is_this = |waiter: &Waiter| waiter.pipe == pipe && waiter.side == side;
        self.take(is_this)
    }

    /// Takes this client.
    pub fn remove(&mut self, client: ClientId) -> Option<Waiter> {
        self.take(|waiter| waiter.token.client() == client)
    }

    /// Takes one that waits at this end.
    pub fn remove_at(&mut self, badge: u32, end: End) -> Option<Waiter> {
        self.take(|waiter| waiter.badge == badge && waiter.end == end)
    }

    /// Takes the first one of whom it holds; those behind move up.
    fn take(&mut self, holds: impl Fn(&Waiter) -> bool) -> Option<Waiter> {
        let place = self.all().position(holds)?;
        let places = self.places.get_mut(place..self.count)?;
        self.count -= 1;
        let taken = places.first_mut()?.take();
        for n in 1..places.len() {
            places.swap(n - 1, n);
        }
        taken
    }
}
