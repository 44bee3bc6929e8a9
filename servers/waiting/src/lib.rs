//! Clients that wait for a server: each is kept by its reply token, within the share of its process, in the order in which
//! they came.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{ClientId, Error, Status, Token};

/// Most clients that can wait.
pub const MOST: usize = 32;
/// Most threads of a process that can.
pub const OF_ONE: usize = 4;

/// One that waits. `C` tells its process from others, `W` says what it wants.
#[derive(Debug)]
pub struct Waiter<C, W> {
    /// By which it is answered.
    pub token: Token,
    /// Its process.
    pub client: C,
    /// What it waits for.
    pub wanted: W,
}

impl<C, W> Waiter<C, W> {
    /// Answers it with an error. One that has left needs none.
    pub fn refuse(self, status: Status) {
        let _ = self.token.reply_error(status);
    }
}

/// Those who wait.
#[derive(Debug)]
pub struct Waiting<C, W> {
    places: [Option<Waiter<C, W>>; MOST],
    /// Most threads of a client that can wait.
    share: usize,
}

impl<C: Copy + PartialEq, W> Waiting<C, W> {
    /// Nobody.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            places: [const { None }; MOST],
            share: 0,
        }
    }

    /// Gives so many clients an equal share.
    ///
    /// # Panics
    /// If there would be none for each: nobody could wait then.
    pub fn share_among(&mut self, clients: usize) {
        assert!(
            clients <= MOST,
            "{clients} processes are too many: {MOST} can wait here"
        );
        self.share = (MOST / clients.max(1)).min(OF_ONE);
    }

    /// Keeps one.
    ///
    /// # Errors
    /// The waiter, if as many of its process wait as may.
    pub fn push(&mut self, waiter: Waiter<C, W>) -> Result<(), Waiter<C, W>> {
        let is_own = |other: &&Waiter<C, W>| other.client == waiter.client;
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
    pub fn take_if(&mut self, holds: impl Fn(&Waiter<C, W>) -> bool) -> Option<Waiter<C, W>> {
        let found = |place: &Option<Waiter<C, W>>| place.as_ref().is_some_and(&holds);
        let place = self.places.iter().position(found)?;
        // The others move up.
        let rest = self.places.get_mut(place..)?;
        rest.rotate_left(1);
        rest.last_mut()?.take()
    }

    /// Takes this client.
    pub fn remove(&mut self, client: ClientId) -> Option<Waiter<C, W>> {
        self.take_if(|waiter| waiter.token.client() == client)
    }

    /// Lets each try, in the order in which they came: those that `attempt` gives back go on waiting.
    pub fn try_each(&mut self, mut attempt: impl FnMut(Waiter<C, W>) -> Option<Waiter<C, W>>) {
        let mut kept = 0;
        for place in 0..MOST {
            // Nobody is behind a free place.
            let Some(waiter) = self.places[place].take() else {
                break;
            };
            if let Some(waiter) = attempt(waiter) {
                self.places[kept] = Some(waiter);
                kept += 1;
            }
        }
    }

    /// Forgets those of a client that has ended.
    pub fn remove_dead(&mut self, client: C) {
        let is_dead = |waiter: &Waiter<C, W>| {
            waiter.client == client && waiter.token.read(0, &mut []) == Err(Error::NoSuchClient)
        };
        while self.take_if(is_dead).is_some() {}
    }
}

impl<C: Copy + PartialEq, W> Default for Waiting<C, W> {
    fn default() -> Self {
        Self::new()
    }
}
