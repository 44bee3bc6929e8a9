//! Ends of pipes, by who has them.

/// Which end of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where bytes come out.
    Read,
    /// Where they go in.
    Write,
}

/// Names an end, for its owner: a place, and which of those that have been there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End(pub u32);

/// Bits of a place.
const PLACE_BITS: u32 = 8;

#[derive(Clone, Copy)]
struct Place {
    /// Counts those that have been here.
    generation: u32,
    open: Option<Open>,
}

#[derive(Clone, Copy)]
struct Open {
    owner: u32,
    pipe: usize,
    side: Side,
}

/// All ends.
pub struct Ends<const ENDS: usize>([Place; ENDS]);

impl<const ENDS: usize> Ends<ENDS> {
    pub const fn new() -> Self {
        assert!(ENDS <= 1 << PLACE_BITS, "a place is a byte");
        Self(
            [Place {
                generation: 0,
                open: None,
            }; ENDS],
        )
    }

    /// An end, unless the owner has `most` of them, or no place is free.
    pub fn open(&mut self, owner: u32, pipe: usize, side: Side, most: usize) -> Option<End> {
        let is_own = |place: &&Place| place.open.is_some_and(|open| open.owner == owner);
        if self.0.iter().filter(is_own).count() >= most {
            return None;
        }
        let mut places = self.0.iter_mut().zip(0_u32..);
        let (place, number) = places.find(|(place, _)| place.open.is_none())?;
        place.generation = place.generation.wrapping_add(1);
        place.open = Some(Open { owner, pipe, side });
        Some(End(place.generation << PLACE_BITS | number))
    }

    /// The pipe and the side of an owner's end.
    pub fn find(&self, owner: u32, end: End) -> Option<(usize, Side)> {
        let place = self.0.get((end.0 & ((1 << PLACE_BITS) - 1)) as usize)?;
        let open = place.open.filter(|open| open.owner == owner)?;
        let is_this = place.generation << PLACE_BITS == end.0 & !((1 << PLACE_BITS) - 1);
        is_this.then_some((open.pipe, open.side))
    }

    /// Closes it. Returns its pipe and side.
    pub fn close(&mut self, owner: u32, end: End) -> Option<(usize, Side)> {
        let found = self.find(owner, end)?;
        self.0[(end.0 & ((1 << PLACE_BITS) - 1)) as usize].open = None;
        Some(found)
    }

    /// One of an owner's ends.
    pub fn of(&self, owner: u32) -> Option<End> {
        let mut places = self.0.iter().zip(0_u32..);
        let is_own = |place: &Place| place.open.is_some_and(|open| open.owner == owner);
        let (place, number) = places.find(|(place, _)| is_own(place))?;
        Some(End(place.generation << PLACE_BITS | number))
    }
}
