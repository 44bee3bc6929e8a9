//! Parents that wait for the end of a child.

use process_store::Pid;
use riposte::{ClientId, Error, Status, Token};

/// Most that can wait.
const MOST: usize = 32;
/// Most threads of a process that can.
const OF_ONE: usize = 4;

/// A parent that waits.
pub struct Waiter {
    /// By which it is answered.
    pub token: Token,
    /// Its process.
    pub parent: u8,
    /// The child, or any.
    pub wanted: Option<Pid>,
}

impl Waiter {
    /// Answers it with an error. One that has left needs none.
    pub fn refuse(self, status: Status) {
        let _ = self.token.reply_error(status);
    }
}

/// Those who wait, in the order in which they came.
pub struct Waiting {
    places: [Option<Waiter>; MOST],
    share: usize,
}

impl Waiting {
    /// Nobody.
    pub const fn new() -> Waiting {
        Waiting {
            places: [const { None }; MOST],
            share: OF_ONE,
        }
    }

    /// Gives so many clients an equal share.
    ///
    /// # Panics
    /// If there would be none for each: nobody could wait then.
    pub fn share_among(&mut self, clients: usize) {
        assert!(
            clients <= MOST,
            "{clients} processes with `spawns` are too many: there can be {MOST}"
        );
        self.share = (MOST / clients.max(1)).min(OF_ONE);
    }

    /// Keeps one.
    ///
    /// # Errors
    /// The waiter, if as many of its process wait as may.
    pub fn push(&mut self, waiter: Waiter) -> Result<(), Waiter> {
        let is_own = |other: &&Waiter| other.parent == waiter.parent;
        if self.places.iter().flatten().filter(is_own).count() >= self.share {
            return Err(waiter);
        }
        // The first free place is behind those that came before.
        match self.places.iter_mut().find(|place| place.is_none()) {
            Some(place) => {
                *place = Some(waiter);
                Ok(())
            }
            None => Err(waiter),
        }
    }

    /// Takes the first of those for whom there is something.
    pub fn take_if(&mut self, holds: impl Fn(&Waiter) -> bool) -> Option<Waiter> {
        let found = |place: &Option<Waiter>| place.as_ref().is_some_and(&holds);
        let place = self.places.iter().position(found)?;
        // The others move up.
        let rest = self.places.get_mut(place..)?;
        rest.rotate_left(1);
        rest.last_mut()?.take()
    }

    /// Takes this client.
    pub fn remove(&mut self, client: ClientId) -> Option<Waiter> {
        self.take_if(|waiter| waiter.token.client() == client)
    }

    /// Forgets those of a process that are no more.
    pub fn remove_dead(&mut self, parent: u8) {
        let is_dead = |waiter: &Waiter| {
            waiter.parent == parent && waiter.token.read(0, &mut []) == Err(Error::NoSuchClient)
        };
        while self.take_if(is_dead).is_some() {}
    }
}
