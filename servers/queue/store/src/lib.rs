//! What the queue server keeps: bounded queues of messages, and who waits for room or for a message.
//!
//! Nothing here knows of processes or calls; a client is any value. Every step takes the same time
//! however many queues and messages there are; only to find a waiting client by what it is means to
//! look at all that wait.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod list;
mod queue;
mod waiting;

pub use queue::{Name, Refused, bytes};
pub use waiting::{Side, Waiter};

use queue::Queue;
use waiting::Waiting;

/// Levels of urgency: 0 to one less. The most urgent message comes first, the most urgent client is
/// served first; in order of arrival within a level.
pub const LEVELS: usize = 4;

/// Queues, at most `QUEUES` with `BYTES` bytes of messages in all, and at most `CLIENTS` clients that
/// wait.
pub struct Store<C, const QUEUES: usize, const CLIENTS: usize, const BYTES: usize> {
    queues: [Queue; QUEUES],
    count: usize,
    bytes: [u8; BYTES],
    used: usize,
    waiting: Waiting<C, CLIENTS>,
}

impl<C, const QUEUES: usize, const CLIENTS: usize, const BYTES: usize>
    Store<C, QUEUES, CLIENTS, BYTES>
{
    /// One without a queue.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            queues: [const { Queue::NONE }; QUEUES],
            count: 0,
            bytes: [0; BYTES],
            used: 0,
            waiting: Waiting::new(),
        }
    }

    /// How many queues can still be made, and of how many bytes.
    #[must_use]
    pub const fn left(&self) -> (usize, usize) {
        (QUEUES - self.count, BYTES - self.used)
    }

    /// The queue called `name`, made for `capacity` messages of at most `size` bytes. If there is one
    /// of that name, it must be such.
    ///
    /// # Errors
    /// [`Refused`], and nothing has changed.
    pub fn create(&mut self, name: Name, capacity: u16, size: u16) -> Result<usize, Refused> {
        if let Some(index) = self.find(name) {
            let queue = &self.queues[index];
            let same = (queue.capacity, queue.size) == (capacity, size);
            return if same {
                Ok(index)
            } else {
                Err(Refused::Differs)
            };
        }
        if capacity == 0 || capacity == list::NONE || size == 0 {
            return Err(Refused::Shape);
        }
        let needed = bytes(capacity, size);
        if self.count == QUEUES || needed > BYTES - self.used {
            return Err(Refused::NoRoom);
        }
        let index = self.count;
        self.queues[index] = Queue::new(name, capacity, size, self.used);
        self.queues[index].clear(&mut self.bytes);
        self.count += 1;
        self.used += needed;
        Ok(index)
    }

    /// The queue called `name`.
    #[must_use]
    pub fn find(&self, name: Name) -> Option<usize> {
        let queues = &self.queues[..self.count];
        queues.iter().position(|queue| queue.name == name)
    }

    /// Most messages of queue `index`, and most bytes of one; none if there is no such queue.
    #[must_use]
    pub fn shape(&self, index: usize) -> Option<(u16, u16)> {
        let queue = self.queues[..self.count].get(index)?;
        Some((queue.capacity, queue.size))
    }

    /// Whether queue `index`, which there is, has room for another message.
    #[must_use]
    pub fn has_room(&self, index: usize) -> bool {
        self.queues[index].has_room()
    }

    /// Puts a message into queue `index`, which has room, and takes as many bytes.
    ///
    /// # Panics
    /// If it has not, or does not.
    pub fn push(&mut self, index: usize, level: usize, message: &[u8]) {
        self.queues[index].push(&mut self.bytes, level, message);
    }

    /// The message that comes first in queue `index`, which stays there; none if it is empty.
    #[must_use]
    pub fn first(&self, index: usize) -> Option<&[u8]> {
        self.queues[index].first(&self.bytes)
    }

    /// Removes the message that comes first.
    pub fn pop(&mut self, index: usize) {
        self.queues[index].pop(&mut self.bytes);
    }

    /// `waiter` waits at queue `index`.
    ///
    /// # Errors
    /// The waiter, if too many wait already.
    pub fn wait(&mut self, index: usize, waiter: Waiter<C>) -> Result<(), Waiter<C>> {
        self.waiting
            .add(&mut self.queues[index].waiting, index, waiter)
    }

    /// Takes the client whose turn it is of those that wait at queue `index` on this side.
    pub fn next(&mut self, index: usize, side: Side) -> Option<Waiter<C>> {
        self.waiting.take(&mut self.queues[index].waiting, side)
    }

    /// The clients that wait anywhere.
    pub fn clients(&self) -> impl Iterator<Item = &C> + Clone {
        self.waiting.all().map(|waiter| &waiter.client)
    }

    /// Takes a client that waits anywhere, and is one that `is_meant`.
    pub fn leave(&mut self, is_meant: impl Fn(&Waiter<C>) -> bool) -> Option<Waiter<C>> {
        let (place, index) = self.waiting.find(is_meant)?;
        let lists = &mut self.queues[index].waiting;
        self.waiting.remove(lists, place)
    }
}

impl<C, const QUEUES: usize, const CLIENTS: usize, const BYTES: usize> Default
    for Store<C, QUEUES, CLIENTS, BYTES>
{
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
