//! Lists of places, by their numbers.

/// No place.
pub const NONE: u16 = u16::MAX;

/// The ends of a list; each place says which ones are beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The first place, or [`NONE`].
    pub first: u16,
    /// The last place, or [`NONE`].
    pub last: u16,
}

impl Ends {
    /// Those of an empty list.
    pub const EMPTY: Ends = Ends {
        first: NONE,
        last: NONE,
    };
}
