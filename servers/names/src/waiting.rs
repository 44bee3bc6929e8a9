//! Clients that wait for a name, or for a change.

use names_store::Client;
use riposte::{ClientId, Error, Status, Token};
use riposte_names::protocol::LONGEST_PATH;

/// Most clients that can wait.
pub const MOST: usize = 32;
/// Most threads of a process that can.
pub const OF_ONE: usize = 4;

/// What a client waits for.
#[derive(Clone, Copy)]
pub enum Wanted {
    /// A name for a path.
    Path(Path),
    /// Another count of changes than this one.
    Change(u32),
}

/// A path that leads nowhere yet.
#[derive(Clone, Copy)]
pub struct Path {
    bytes: [u8; LONGEST_PATH],
    length: usize,
}

impl Path {
    /// The path, if it is not too long.
    pub fn new(path: &[u8]) -> Option<Path> {
        let mut bytes = [0; LONGEST_PATH];
        bytes.get_mut(..path.len())?.copy_from_slice(path);
        Some(Path {
            bytes,
            length: path.len(),
        })
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// A client that waits.
pub struct Waiter {
    pub token: Token,
    pub client: Client,
    pub wanted: Wanted,
}

impl Waiter {
    /// Answers it with an error. One that has left needs none.
    pub fn refuse(self, status: Status) {
        let _ = self.token.reply_error(status);
    }
}

/// Those who wait.
pub struct Waiting {
    places: [Option<Waiter>; MOST],
    /// Most threads of a client that can wait.
    share: usize,
}

impl Waiting {
    /// Nobody.
    pub const fn new() -> Waiting {
        Waiting {
            places: [const { None }; MOST],
            share: 0,
        }
    }

    /// Gives so many clients an equal share.
    pub fn share_among(&mut self, clients: usize) {
        self.share = (MOST / clients.max(1)).min(OF_ONE);
    }

    /// Keeps one.
    ///
    /// # Errors
    /// The waiter, if as many of its process wait as may.
    pub fn push(&mut self, waiter: Waiter) -> Result<(), Waiter> {
        let is_own = |other: &&Waiter| other.client == waiter.client;
        if self.places.iter().flatten().filter(is_own).count() >= self.share {
            return Err(waiter);
        }
        match self.places.iter_mut().find(|place| place.is_none()) {
            Some(place) => {
                *place = Some(waiter);
                Ok(())
            }
            None => Err(waiter),
        }
    }

    /// Takes one of those for whom there is something.
    pub fn take_if(&mut self, holds: impl Fn(&Waiter) -> bool) -> Option<Waiter> {
        let mut places = self.places.iter_mut();
        let place = places.find(|place| place.as_ref().is_some_and(&holds))?;
        place.take()
    }

    /// Takes this client.
    pub fn remove(&mut self, client: ClientId) -> Option<Waiter> {
        self.take_if(|waiter| waiter.token.client() == client)
    }

    /// Forgets those of a client that has ended.
    pub fn remove_dead(&mut self, client: Client) {
        let is_dead = |waiter: &Waiter| {
            waiter.client == client && waiter.token.read(0, &mut []) == Err(Error::NoSuchClient)
        };
        while self.take_if(is_dead).is_some() {}
    }
}
