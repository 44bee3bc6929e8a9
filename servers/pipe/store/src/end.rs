//! Ends of pipes, by who has them.

/// Which end of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where bytes come out. No side is 0, so that a store without ends is zeros, which an image need not hold.
    Read = 1,
    /// Where they go in.
    Write,
}

/// Names an end, for its owner: a place, and which of those that have been there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End(pub u32);

/// Bits of a place.
const PLACE_BITS: u32 = 8;

impl End {
    fn place(self) -> usize {
        (self.0 & ((1 << PLACE_BITS) - 1)) as usize
    }
}

#[derive(Clone, Copy)]
struct Place {
    /// Names the end that is here, or was here last: what is above the place counts those. 0 before the first.
    end: End,
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
        let none = Place {
            end: End(0),
            open: None,
        };
        Self([none; ENDS])
    }

    /// An end, unless the owner has `most` of them, or no place is free.
    pub fn open(&mut self, owner: u32, pipe: usize, side: Side, most: usize) -> Option<End> {
        let is_own = |place: &&Place| place.open.is_some_and(|open| open.owner == owner);
        if self.0.iter().filter(is_own).count() >= most {
            return None;
        }
        let mut places = self.0.iter_mut().zip(0_u32..);
        let (place, number) = places.find(|(place, _)| place.open.is_none())?;
        let before = place.end.0 >> PLACE_BITS;
        place.end = End(before.wrapping_add(1) << PLACE_BITS | number);
        place.open = Some(Open { owner, pipe, side });
        Some(place.end)
    }

    /// The pipe and the side of an owner's end.
    #[inline]
    pub fn find(&self, owner: u32, end: End) -> Option<(usize, Side)> {
        let place = self.0.get(end.place()).filter(|place| place.end == end)?;
        let open = place.open.filter(|open| open.owner == owner)?;
        Some((open.pipe, open.side))
    }

    /// Closes it. Returns its pipe and side.
    pub fn close(&mut self, owner: u32, end: End) -> Option<(usize, Side)> {
        let found = self.find(owner, end)?;
        self.0[end.place()].open = None;
        Some(found)
    }

    /// One of an owner's ends.
    pub fn of(&self, owner: u32) -> Option<End> {
        let is_own = |place: &&Place| place.open.is_some_and(|open| open.owner == owner);
        self.0.iter().find(is_own).map(|place| place.end)
    }
}
