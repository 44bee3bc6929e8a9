//! What the shared memory server keeps: names of objects, their sizes, and who has made them.
//!
//! Nothing here knows of processes or calls; a maker is a number, and an object any value. Each step looks at most at all
//! names, of which there are few.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod name;
#[cfg(test)]
mod tests;

pub use name::{LONGEST, Name};

/// Slots for handles of an object that has a name: for who may write, and for who may not.
pub const SLOTS_OF_AN_OBJECT: usize = 2;

/// Why something is not done; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such object, or it has no name any more.
    NoSuchName,
    /// There is an object of that name.
    Exists,
    /// Somebody else has made it.
    NotMaker,
    /// The maker has as many names as it may.
    TooMany,
    /// It is longer than the object can be.
    TooLarge,
}

/// An object that has a name.
#[derive(Debug)]
pub struct Object<T> {
    /// Its number, which no other object has or had.
    pub number: u64,
    /// Bytes, as who uses it has said.
    pub size: u32,
    /// Bytes that there are.
    pub room: u32,
    /// What it is.
    pub memory: T,
    name: Name,
    maker: usize,
}

/// The objects: at most `NAMES`, of at most `MAKERS` makers.
pub struct Objects<T, const NAMES: usize, const MAKERS: usize> {
    objects: [Option<Object<T>>; NAMES],
    /// Names that each maker can have.
    most: usize,
    /// The number of the object that was made last.
    last: u64,
}

impl<T, const NAMES: usize, const MAKERS: usize> Objects<T, NAMES, MAKERS> {
    /// None, and nobody may make any.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            objects: [const { None }; NAMES],
            most: 0,
            last: 0,
        }
    }

    /// Lets each maker have so many names at once. Whether there is room for those of all of them.
    pub fn share(&mut self, makers: usize, most: usize) -> bool {
        self.most = most;
        makers <= MAKERS && makers.saturating_mul(most) <= NAMES
    }

    /// The object of this name.
    #[must_use]
    pub fn find(&self, name: Name) -> Option<&Object<T>> {
        self.objects.iter().flatten().find(|it| it.name == name)
    }

    /// Whether this maker may give this name to an object.
    ///
    /// # Errors
    /// [`Refused::Exists`], [`Refused::TooMany`].
    pub fn may_make(&self, maker: usize, name: Name) -> Result<(), Refused> {
        if self.find(name).is_some() {
            return Err(Refused::Exists);
        }
        let own = self.objects.iter().flatten();
        let names = own.filter(|it| it.maker == maker).count();
        if maker >= MAKERS || names >= self.most {
            return Err(Refused::TooMany);
        }
        Ok(())
    }

    /// Names an object of `room` bytes, whose size is none yet, at the moment `now`, in nanoseconds.
    ///
    /// # Errors
    /// As [`Objects::may_make`], with the memory.
    pub fn make(
        &mut self,
        maker: usize,
        name: Name,
        memory: T,
        room: u32,
        now: u64,
    ) -> Result<&Object<T>, (Refused, T)> {
        if let Err(why) = self.may_make(maker, name) {
            return Err((why, memory));
        }
        let Some(place) = self.objects.iter_mut().find(|it| it.is_none()) else {
            return Err((Refused::TooMany, memory));
        };
        // The moment is one of this life of the server, so that the number is none of an earlier one's.
        self.last = now.max(self.last + 1);
        Ok(place.insert(Object {
            number: self.last,
            size: 0,
            room,
            memory,
            name,
            maker,
        }))
    }

    /// Takes the name away, if it is an object of this maker's.
    ///
    /// # Errors
    /// [`Refused::NoSuchName`], [`Refused::NotMaker`].
    pub fn unlink(&mut self, maker: Option<usize>, name: Name) -> Result<T, Refused> {
        let is_it = |it: &&mut Option<Object<T>>| it.as_ref().is_some_and(|it| it.name == name);
        let place = self.objects.iter_mut().find(is_it);
        let place = place.ok_or(Refused::NoSuchName)?;
        let taken = place.take_if(|it| Some(it.maker) == maker);
        taken.map(|it| it.memory).ok_or(Refused::NotMaker)
    }

    /// The size of the object with this number.
    ///
    /// # Errors
    /// [`Refused::NoSuchName`].
    pub fn size(&self, number: u64) -> Result<u32, Refused> {
        let found = self.objects.iter().flatten().find(|it| it.number == number);
        found.map(|it| it.size).ok_or(Refused::NoSuchName)
    }

    /// Says how large the object with this number is.
    ///
    /// # Errors
    /// [`Refused::NoSuchName`], [`Refused::TooLarge`].
    pub fn resize(&mut self, number: u64, size: u32) -> Result<(), Refused> {
        let mut objects = self.objects.iter_mut().flatten();
        let found = objects.find(|it| it.number == number);
        let object = found.ok_or(Refused::NoSuchName)?;
        if size > object.room {
            return Err(Refused::TooLarge);
        }
        object.size = size;
        Ok(())
    }
}

impl<T, const NAMES: usize, const MAKERS: usize> Default for Objects<T, NAMES, MAKERS> {
    fn default() -> Self {
        Self::new()
    }
}
