//! Clients that wait at queues.

use crate::LEVELS;
use crate::list::{Ends, NONE};

/// What a client waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Room for its message.
    Send = 0,
    /// A message.
    Receive = 1,
}

/// A client that waits.
#[derive(Debug, PartialEq, Eq)]
pub struct Waiter<C> {
    /// The client.
    pub client: C,
    /// What it waits for.
    pub side: Side,
    /// How urgent it is, less than [`LEVELS`]; as its message, if it has one.
    pub level: usize,
}

/// A waiter, with its queue and its neighbours there.
struct Place<C> {
    waiter: Option<Waiter<C>>,
    queue: usize,
    before: u16,
    behind: u16,
}

/// The lists of one queue, by side and level.
type Lists = [[Ends; LEVELS]; 2];

/// Places for those who wait.
pub struct Waiting<C, const CLIENTS: usize> {
    places: [Place<C>; CLIENTS],
    /// The places that were in use and are free, linked by `behind`.
    free: u16,
    /// How many were ever in use.
    begun: u16,
}

impl<C, const CLIENTS: usize> Waiting<C, CLIENTS> {
    pub const fn new() -> Self {
        assert!(CLIENTS < NONE as usize);
        Self {
            places: [const {
                Place {
                    waiter: None,
                    queue: 0,
                    before: NONE,
                    behind: NONE,
                }
            }; CLIENTS],
            free: NONE,
            begun: 0,
        }
    }

    /// Lets `waiter` wait at `queue`, whose lists these are.
    pub fn add(
        &mut self,
        lists: &mut Lists,
        queue: usize,
        waiter: Waiter<C>,
    ) -> Result<(), Waiter<C>> {
        let Some(number) = self.vacant() else {
            return Err(waiter);
        };
        let list = &mut lists[waiter.side as usize][waiter.level];
        let before = core::mem::replace(&mut list.last, number);
        match self.places.get_mut(usize::from(before)) {
            Some(last) => last.behind = number,
            None => list.first = number,
        }
        self.places[usize::from(number)] = Place {
            waiter: Some(waiter),
            queue,
            before,
            behind: NONE,
        };
        Ok(())
    }

    fn vacant(&mut self) -> Option<u16> {
        if self.free != NONE {
            let number = self.free;
            self.free = self.places[usize::from(number)].behind;
            return Some(number);
        }
        let fresh = usize::from(self.begun) < CLIENTS;
        fresh.then(|| {
            self.begun += 1;
            self.begun - 1
        })
    }

    /// Takes the first one of the highest level of this side.
    pub fn take(&mut self, lists: &mut Lists, side: Side) -> Option<Waiter<C>> {
        let mut levels = lists[side as usize].iter().rev();
        let list = levels.find(|list| list.first != NONE)?;
        self.remove(lists, list.first)
    }

    /// All.
    pub fn all(&self) -> impl Iterator<Item = &Waiter<C>> + Clone {
        let places = self.places.iter();
        places.filter_map(|place| place.waiter.as_ref())
    }

    /// The place of one that `is_meant`, and its queue.
    pub fn find(&self, is_meant: impl Fn(&Waiter<C>) -> bool) -> Option<(u16, usize)> {
        let places = &self.places[..usize::from(self.begun)];
        let is_meant = |place: &Place<C>| place.waiter.as_ref().is_some_and(&is_meant);
        let number = places.iter().position(is_meant)?;
        Some((number as u16, places[number].queue))
    }

    /// Takes the one at this place out of the lists of its queue.
    pub fn remove(&mut self, lists: &mut Lists, number: u16) -> Option<Waiter<C>> {
        let place = self.places.get_mut(usize::from(number))?;
        let waiter = place.waiter.take()?;
        let (before, behind) = (place.before, place.behind);
        place.behind = core::mem::replace(&mut self.free, number);
        let list = &mut lists[waiter.side as usize][waiter.level];
        match self.places.get_mut(usize::from(before)) {
            Some(other) => other.behind = behind,
            None => list.first = behind,
        }
        match self.places.get_mut(usize::from(behind)) {
            Some(other) => other.before = before,
            None => list.last = before,
        }
        Some(waiter)
    }
}
