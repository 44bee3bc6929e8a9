//! Who waits, in the order in which they came.

use crate::{End, Side};

/// Most that can wait.
pub const MOST_WAITING: usize = 32;

/// What somebody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum For {
    /// Bytes, or room, at its end on this side of a pipe. None begins with 0, so that places where nobody waits are zeros.
    Bytes {
        /// Its end.
        end: End,
        /// The pipe.
        pipe: usize,
        /// The side.
        side: Side,
    } = 1,
    /// Somebody at the other side of this end's pipe.
    Meeting(End) = 2,
    /// One of the ends that its request names.
    Watch = 3,
}

impl For {
    #[inline(always)]
    fn is_at(&self, sought: usize, at: Side) -> bool {
        matches!(self, For::Bytes { pipe, side, .. } if *pipe == sought && *side == at)
    }
}

/// One that can wait.
pub trait Waits {
    /// Whose ends it uses.
    fn owner(&self) -> u32;
    /// What it waits for.
    fn what(&self) -> &For;
}

/// Those who wait, in the order in which they came: the first `count` places are taken.
pub struct Waiting<W> {
    places: [Option<W>; MOST_WAITING],
    count: usize,
}

impl<W: Waits> Waiting<W> {
    /// Nobody.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            places: [const { None }; MOST_WAITING],
            count: 0,
        }
    }

    fn places(&self) -> &[Option<W>] {
        self.places.get(..self.count).unwrap_or_default()
    }

    /// Puts one behind the others.
    ///
    /// # Errors
    /// The waiter, if `most` of its owner's wait already, or there is no place.
    pub fn push(&mut self, waiter: W, most: usize) -> Result<(), W> {
        let owner = waiter.owner();
        let is_own = |other: &&W| other.owner() == owner;
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
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The one that came first at this side of a pipe.
    #[must_use]
    pub fn first(&self, pipe: usize, side: Side) -> Option<&W> {
        let mut waiters = self.places().iter().flatten();
        waiters.find(|waiter| waiter.what().is_at(pipe, side))
    }

    /// Takes that one.
    pub fn pop(&mut self, pipe: usize, side: Side) -> Option<W> {
        self.take(|waiter| waiter.what().is_at(pipe, side))
    }

    /// Takes one that waits for bytes at this end.
    pub fn remove_at(&mut self, owner: u32, sought: End) -> Option<W> {
        self.take(|waiter| {
            let is_there = matches!(waiter.what(), For::Bytes { end, .. } if *end == sought);
            waiter.owner() == owner && is_there
        })
    }

    /// The one at a place in their order.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<&W> {
        self.places().get(place)?.as_ref()
    }

    /// Takes that one.
    pub fn take_at(&mut self, place: usize) -> Option<W> {
        self.at(place)?;
        self.take_known(place)
    }

    /// Takes the one in a place that is taken; those behind move up.
    #[inline(always)]
    fn take_known(&mut self, place: usize) -> Option<W> {
        let taken = self.places.get_mut(place)?.take();
        self.count -= 1;
        if place < self.count {
            self.close_up(place);
        }
        taken
    }

    /// Takes the first one of whom it holds.
    pub fn take(&mut self, holds: impl Fn(&W) -> bool) -> Option<W> {
        let is_meant = |place: &Option<W>| place.as_ref().is_some_and(&holds);
        let place = self.places().iter().position(is_meant)?;
        self.take_known(place)
    }

    #[inline(never)]
    fn close_up(&mut self, place: usize) {
        if let Some(places) = self.places.get_mut(place..=self.count) {
            places.rotate_left(1);
        }
    }
}

impl<W: Waits> Default for Waiting<W> {
    fn default() -> Self {
        Self::new()
    }
}
