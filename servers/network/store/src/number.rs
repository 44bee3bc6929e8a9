//! What a client names a socket by.

/// A socket of a client, or a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(pub u32);

/// What it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// For a name, as long as nobody has told it.
    Question,
    Stream,
    Listener,
    Port,
}

/// Bits of the place, and above them of the kind; the rest counts.
const PLACE: u32 = 4;
const KIND: u32 = 2;

/// How often a place has been given to somebody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count(u32);

impl Count {
    /// Never.
    pub const fn new() -> Count {
        Count(0)
    }

    /// Once more. It comes back to where it was after 67 million times.
    pub fn next(&mut self) {
        self.0 = self.0.wrapping_add(1) & (u32::MAX >> (PLACE + KIND));
    }

    /// The number of a place now.
    pub fn number(self, kind: Kind, place: usize) -> Number {
        let kind = match kind {
            Kind::Question => 0,
            Kind::Stream => 1,
            Kind::Listener => 2,
            Kind::Port => 3,
        };
        Number(self.0 << (PLACE + KIND) | kind << PLACE | place as u32)
    }
}

impl Number {
    pub(crate) fn kind(self) -> Kind {
        match self.0 >> PLACE & ((1 << KIND) - 1) {
            1 => Kind::Stream,
            2 => Kind::Listener,
            3 => Kind::Port,
            _ => Kind::Question,
        }
    }

    pub(crate) fn place(self) -> usize {
        (self.0 & ((1 << PLACE) - 1)) as usize
    }
}
