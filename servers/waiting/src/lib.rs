//! Clients that wait for a server: each is kept by its reply token, within the share of its process, in the order in which
//! they came.
#![no_std]
#![forbid(unsafe_code)]

mod crowding;

pub use crowding::crowding;

use riposte::{ClientId, Error, Status, Token};

/// Most clients that can wait, if their server does not say.
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
    /// Whether it does not wait any more: its deadline has passed, or it has died.
    #[inline(always)]
    pub fn has_left(&self) -> bool {
        self.token.read(0, &mut []) == Err(Error::NoSuchClient)
    }

    /// Answers it with an error. One that has left needs none.
    pub fn refuse(self, status: Status) {
        let _ = self.token.reply_error(status);
    }
}

/// Those who wait, at most `PLACES`.
#[derive(Debug)]
pub struct Waiting<C, W, const PLACES: usize = MOST> {
    places: [Option<Waiter<C, W>>; PLACES],
    /// Most threads of a client that can wait.
    share: usize,
}

impl<C: Copy + PartialEq, W, const PLACES: usize> Waiting<C, W, PLACES> {
    /// Nobody.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            places: [const { None }; PLACES],
            share: 0,
        }
    }

    /// Gives so many clients an equal share, for [`Waiting::push`].
    ///
    /// # Panics
    /// If there would be none for each: nobody could wait then.
    pub fn share_among(&mut self, clients: usize) {
        assert!(
            clients <= PLACES,
            "{clients} processes are too many: {PLACES} can wait here"
        );
        self.share = (PLACES / clients.max(1)).min(OF_ONE);
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
        self.put(waiter)
    }

    /// Keeps one, where nobody has said how many clients there are: a process may have all places that others leave, and gives
    /// up those that are more than an equal share to who has fewer. Those who have left keep no place that it needs.
    ///
    /// # Errors
    /// The waiter that has no place: this one, or the one that came last of the process that had most.
    pub fn push_or_displace(&mut self, waiter: Waiter<C, W>) -> Result<(), Waiter<C, W>> {
        let Err(waiter) = self.put(waiter) else {
            return Ok(());
        };
        while self.take_if(Waiter::has_left).is_some() {}
        let Err(waiter) = self.put(waiter) else {
            return Ok(());
        };
        let owners = self.places.iter().flatten().map(|other| other.client);
        let place = crowding(owners, waiter.client);
        let Some(displaced) = place.and_then(|place| self.take(place)) else {
            return Err(waiter);
        };
        self.put(waiter).and(Err(displaced))
    }

    #[inline(always)]
    fn put(&mut self, waiter: Waiter<C, W>) -> Result<(), Waiter<C, W>> {
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
        self.take(self.places.iter().position(found)?)
    }

    #[inline(always)]
    fn take(&mut self, place: usize) -> Option<Waiter<C, W>> {
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
        for place in 0..PLACES {
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
        let is_dead = |waiter: &Waiter<C, W>| waiter.client == client && waiter.has_left();
        while self.take_if(is_dead).is_some() {}
    }
}

impl<C: Copy + PartialEq, W, const PLACES: usize> Default for Waiting<C, W, PLACES> {
    fn default() -> Self {
        Self::new()
    }
}
