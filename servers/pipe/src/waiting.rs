//! Clients that wait for a byte, or for room.

use pipe_store::{End, Side};
use riposte::abi::{MESSAGE_BYTES, MESSAGE_WORDS};
use riposte::{ClientId, Error, Message, Status, Token};
use riposte_pipe::protocol::REQUEST;

/// Most clients that can wait.
pub const MOST: usize = 32;

/// What a client waits for.
#[derive(Clone, Copy)]
pub enum For {
    /// Bytes, or room, at its end on this side of a pipe.
    Bytes { end: End, pipe: usize, side: Side },
    /// Somebody at the other side of this end's pipe.
    Meeting(End),
    /// One of the ends that its request names.
    Watch,
}

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

    /// Whether it waits for bytes at this side of a pipe.
    fn is_at(&self, sought: usize, at: Side) -> bool {
        matches!(self.what, For::Bytes { pipe, side, .. } if pipe == sought && side == at)
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

    fn places(&self) -> &[Option<Waiter>] {
        self.places.get(..self.count).unwrap_or_default()
    }

    /// Puts one behind the others.
    ///
    /// # Errors
    /// The waiter, if `most` threads of its process wait already.
    pub fn push(&mut self, waiter: Waiter, most: usize) -> Result<(), Waiter> {
        let is_own = |other: &&Waiter| other.badge == waiter.badge;
        if self.places().iter().flatten().filter(is_own).count() >= most {
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

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The one that came first at this side of a pipe.
    pub fn first(&self, pipe: usize, side: Side) -> Option<&Waiter> {
        let mut waiters = self.places().iter().flatten();
        waiters.find(|waiter| waiter.is_at(pipe, side))
    }

    /// Takes that one.
    pub fn pop(&mut self, pipe: usize, side: Side) -> Option<Waiter> {
        self.take(|waiter| waiter.is_at(pipe, side))
    }

    /// Takes this client.
    pub fn remove(&mut self, client: ClientId) -> Option<Waiter> {
        self.take(|waiter| waiter.token.client() == client)
    }

    /// Takes one that waits for bytes at this end.
    pub fn remove_at(&mut self, badge: u32, sought: End) -> Option<Waiter> {
        let is_there =
            |waiter: &Waiter| matches!(waiter.what, For::Bytes { end, .. } if end == sought);
        self.take(|waiter| waiter.badge == badge && is_there(waiter))
    }

    /// The one at a place in their order.
    pub fn at(&self, place: usize) -> Option<&Waiter> {
        self.places().get(place)?.as_ref()
    }

    /// Takes that one.
    pub fn take_at(&mut self, place: usize) -> Option<Waiter> {
        let client = self.at(place)?.token.client();
        self.remove(client)
    }

    /// Takes the first one of whom it holds; those behind move up.
    fn take(&mut self, holds: impl Fn(&Waiter) -> bool) -> Option<Waiter> {
        let is_meant = |place: &Option<Waiter>| place.as_ref().is_some_and(&holds);
        let place = self.places().iter().position(is_meant)?;
        let taken = self.places.get_mut(place)?.take();
        self.count -= 1;
        if place < self.count {
            self.close_up(place);
        }
        taken
    }

    #[inline(never)]
    fn close_up(&mut self, place: usize) {
        if let Some(places) = self.places.get_mut(place..=self.count) {
            places.rotate_left(1);
        }
    }
}
