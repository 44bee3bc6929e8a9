//! Where a search for a free one of many places begins.

use core::cell::Cell;

use crate::{Port, port::Interrupted};

/// Places that a search looks at between two looks for interrupts.
const PLACES: usize = 8;

state! {
/// How far the places of one kind are known to be taken: none before this one is free. It is the last one at most.
///
/// A search raises it as it goes, so that whoever comes again after an interrupt goes on from here, and so does the
/// next search. Whoever frees a place lowers it.
pub(crate) struct Vacancy {
    pub(crate) first: Cell<u8> as detail,
}
}

impl Vacancy {
    /// Any place may be free.
    pub const fn new() -> Self {
        Self {
            first: Cell::new(0),
        }
    }

    /// A place is free from now on.
    pub fn note(&self, place: u8) {
        self.first.set(self.first.get().min(place));
    }

    /// Takes the first of `places` that `take` finds free: what that returns; `None` if there is none. `Err` if an
    /// interrupt waits before that is known.
    pub fn take<T, R>(
        &self,
        port: &impl Port,
        places: &'static [T],
        take: impl Fn(&'static T, usize) -> Option<R>,
    ) -> Result<Option<R>, Interrupted> {
        let first = usize::from(self.first.get());
        for (index, place) in places.iter().enumerate().skip(first) {
            let taken = take(place, index);
            if taken.is_some() {
                return Ok(taken);
            }
            let next = index + 1;
            self.first.set(next.min(u8::MAX.into()) as u8);
            if (next - first).is_multiple_of(PLACES) && port.interrupted() {
                return Err(Interrupted);
            }
        }
        Ok(None)
    }
}
