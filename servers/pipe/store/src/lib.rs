//! What the pipe server keeps: bytes on their way, and who has which end of a pipe.
//!
//! Nothing here knows of messages or calls; an owner is a number. A step takes time with the bytes that it moves, and
//! to open an end, or to close all ends of an owner, with the number of all ends and pipes.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod end;
mod number;
mod owner;
mod pipe;
#[cfg(test)]
mod tests;
mod waiting;

pub use end::{End, Side};
pub use owner::MOST_EXPECTED;
pub use pipe::{Key, Name};
pub use waiting::{For, MOST_WAITING, Waiting, Waits};

use end::Ends;
use number::Numbers;
use owner::Owners;
use pipe::Pipe;

/// Why something is not done; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no pipe of that name or number.
    NoSuchPipe,
    /// The owner has as many ends as it may, or there are as many as there can be.
    TooManyEnds,
    /// It is no end of this owner, or none on this side.
    BadEnd,
    /// There is nothing to read yet, or no room for what is written.
    NotYet,
    /// Nobody is left who could read what is written.
    NoReader,
    /// Two pipes of one name, a pipe of no bytes, or more than there is room for.
    BadPipe,
    /// There is a pipe of that name.
    Taken,
    /// The owner has made as many pipes as it may, or there is no place for one more.
    TooManyPipes,
    /// A pipe of no bytes, or of more than a place for pipes has.
    BadCapacity,
    /// Somebody else has made it, or it is always there.
    NotYours,
}

/// Pipes, at most `PIPES` of `BYTES` bytes in all, with at most `ENDS` ends.
///
/// Those that are always there come first, and have the bytes that they need. Behind them are places of one size, for
/// those that owners make: whoever may make one finds a place, whatever was made and removed before.
pub struct Store<const PIPES: usize, const ENDS: usize, const BYTES: usize> {
    pipes: [Pipe; PIPES],
    /// Pipes that are always there.
    fixed: usize,
    bytes: [u8; BYTES],
    /// Bytes of those.
    used: usize,
    /// Places for those that owners make.
    places: usize,
    /// Bytes of a place for one of them.
    slot: usize,
    numbers: Numbers,
    ends: Ends<ENDS>,
    owners: Owners,
}

impl<const PIPES: usize, const ENDS: usize, const BYTES: usize> Store<PIPES, ENDS, BYTES> {
    /// One without a pipe.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            pipes: [const { Pipe::NONE }; PIPES],
            fixed: 0,
            bytes: [0; BYTES],
            used: 0,
            places: 0,
            slot: 0,
            numbers: Numbers::new(0),
            ends: Ends::new(),
            owners: Owners::new(),
        }
    }

    /// Adds a pipe that is always there, and holds up to `capacity` bytes. Before [`Store::set_aside`].
    ///
    /// # Errors
    /// [`Refused::BadPipe`].
    pub fn add(&mut self, name: Name, capacity: usize) -> Result<(), Refused> {
        let key = Key::Name(name);
        if capacity == 0 || capacity > self.left() || self.find(key).is_ok() {
            return Err(Refused::BadPipe);
        }
        let place = self.pipes.get_mut(self.fixed).ok_or(Refused::BadPipe)?;
        *place = Pipe::new(key, None, self.used, capacity);
        self.fixed += 1;
        self.used += capacity;
        Ok(())
    }

    /// There is this owner: it can be [expected](Store::expect). Of more than [`MOST_EXPECTED`] the others can't. `same` is
    /// a number by which it was introduced before: whoever expects one of them expects it by any.
    pub fn introduce(&mut self, owner: u32, same: Option<u32>) {
        self.owners.add(owner, same);
    }

    /// Bytes that the pipes leave that are always there.
    #[must_use]
    pub fn left(&self) -> usize {
        BYTES - self.used
    }

    /// Sets places aside for the pipes that owners make, of `slot` bytes each. `key` says which numbers those without
    /// names get.
    ///
    /// # Errors
    /// [`Refused::BadPipe`] if there is no room for so many.
    pub fn set_aside(&mut self, places: usize, slot: usize, key: u64) -> Result<(), Refused> {
        let bytes = places.saturating_mul(slot);
        if places > PIPES - self.fixed || bytes > self.left() || (places > 0 && slot == 0) {
            return Err(Refused::BadPipe);
        }
        (self.places, self.slot) = (places, slot);
        self.numbers = Numbers::new(key);
        Ok(())
    }

    /// An owner makes a pipe of that name, which holds up to `capacity` bytes. It has at most `most` of those that are
    /// made.
    ///
    /// # Errors
    /// [`Refused::Taken`], [`Refused::TooManyPipes`], [`Refused::BadCapacity`].
    pub fn make(
        &mut self,
        owner: u32,
        name: Name,
        capacity: usize,
        most: usize,
    ) -> Result<(), Refused> {
        let key = Key::Name(name);
        if self.find(key).is_ok() {
            return Err(Refused::Taken);
        }
        self.place(owner, capacity, most, |_| key)
    }

    /// As [`Store::make`], a pipe without a name. Returns its number.
    ///
    /// # Errors
    /// [`Refused::TooManyPipes`], [`Refused::BadCapacity`].
    pub fn make_unnamed(
        &mut self,
        owner: u32,
        capacity: usize,
        most: usize,
    ) -> Result<u32, Refused> {
        let mut number = 0;
        self.place(owner, capacity, most, |numbers| {
            number = numbers.draw();
            Key::Number(number)
        })?;
        Ok(number)
    }

    /// As [`Store::open`], an end of the pipe of a FIFO that is this node of a tree of files. The pipe counts for the FIFO's
    /// maker, which has at most `most_pipes`. It holds as much as a place has, and is gone, with what is in it, when all
    /// its ends are closed.
    ///
    /// # Errors
    /// [`Refused::TooManyPipes`], [`Refused::TooManyEnds`].
    pub fn open_node(
        &mut self,
        owner: u32,
        (node, maker): (u32, u32),
        side: Side,
        most: usize,
        most_pipes: usize,
    ) -> Result<End, Refused> {
        let key = Key::Node(node);
        let is_new = self.find(key).is_err();
        if is_new {
            // Where there are no places there are no bytes in one either.
            let made = self.place(maker, self.slot, most_pipes, |_| key);
            made.map_err(|_| Refused::TooManyPipes)?;
        }
        let opened = self.open(owner, key, side, most);
        if is_new && opened.is_err() {
            self.remove_node(node);
        }
        opened
    }

    /// A FIFO has no name any more: nobody finds its pipe. Who has an end keeps it. Returns the pipe, if it has one, for
    /// those who wait there.
    pub fn remove_node(&mut self, node: u32) -> Option<usize> {
        let pipe = self.find(Key::Node(node)).ok()?;
        self.pipes[pipe].remove();
        Some(pipe)
    }

    /// Bytes of a pipe that a FIFO has.
    #[must_use]
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// Makes a pipe where there is room. A removed one whose ends are not all closed counts for its maker until they are.
    fn place(
        &mut self,
        owner: u32,
        capacity: usize,
        most: usize,
        key: impl FnOnce(&mut Numbers) -> Key,
    ) -> Result<(), Refused> {
        let is_own = |pipe: &&Pipe| pipe.maker == Some(owner);
        if self.pipes.iter().filter(is_own).count() >= most {
            return Err(Refused::TooManyPipes);
        }
        if capacity == 0 || capacity > self.slot {
            return Err(Refused::BadCapacity);
        }
        let places = self.pipes.iter_mut().skip(self.fixed).take(self.places);
        let found = places.enumerate().find(|(_, place)| place.is_free());
        let (n, place) = found.ok_or(Refused::TooManyPipes)?;
        let base = self.used + n * self.slot;
        *place = Pipe::new(key(&mut self.numbers), Some(owner), base, capacity);
        Ok(())
    }

    /// Removes a pipe that this owner has made: nobody can open it any more. Who has an end keeps it. Returns the pipe,
    /// for those who wait there.
    ///
    /// # Errors
    /// [`Refused::NoSuchPipe`], [`Refused::NotYours`].
    pub fn remove(&mut self, owner: u32, key: Key) -> Result<usize, Refused> {
        let pipe = self.find(key)?;
        if self.pipes[pipe].maker != Some(owner) {
            return Err(Refused::NotYours);
        }
        self.pipes[pipe].remove();
        Ok(pipe)
    }

    /// Removes a pipe of an owner that has ended, if there is one left. Returns it, as [`Store::remove`]. That of a FIFO, which
    /// outlives who has made it, stays for those who have its ends.
    pub fn abandon(&mut self, owner: u32) -> Option<usize> {
        let mut pipes = self.pipes.iter();
        let is_left = |pipe: &Pipe| pipe.maker == Some(owner) && pipe.is_its_makers();
        let pipe = pipes.position(is_left)?;
        self.pipes[pipe].remove();
        Some(pipe)
    }

    fn find(&self, key: Key) -> Result<usize, Refused> {
        let found = self.pipes.iter().position(|pipe| pipe.is(key));
        found.ok_or(Refused::NoSuchPipe)
    }

    /// An end of a pipe for an owner, which has at most `most` of them.
    ///
    /// # Errors
    /// [`Refused::NoSuchPipe`], [`Refused::TooManyEnds`].
    pub fn open(&mut self, owner: u32, key: Key, side: Side, most: usize) -> Result<End, Refused> {
        let pipe = self.find(key)?;
        let end = self.ends.open(owner, pipe, side, most);
        let end = end.ok_or(Refused::TooManyEnds)?;
        self.pipes[pipe].opened(side, self.owners.bit(owner));
        Ok(end)
    }

    /// Closes an end. Returns its pipe.
    ///
    /// # Errors
    /// [`Refused::BadEnd`].
    pub fn close(&mut self, owner: u32, end: End) -> Result<usize, Refused> {
        let (pipe, side) = self.ends.close(owner, end).ok_or(Refused::BadEnd)?;
        self.pipes[pipe].closed(side);
        Ok(pipe)
    }

    /// One of the ends that an owner has.
    #[must_use]
    pub fn end_of(&self, owner: u32) -> Option<End> {
        self.ends.of(owner)
    }

    /// The pipe of this end.
    ///
    /// # Errors
    /// [`Refused::BadEnd`] unless it is the owner's, on this side.
    pub fn pipe(&self, owner: u32, end: End, side: Side) -> Result<usize, Refused> {
        let (pipe, is) = self.ends.find(owner, end).ok_or(Refused::BadEnd)?;
        if is == side {
            Ok(pipe)
        } else {
            Err(Refused::BadEnd)
        }
    }

    /// The pipe and the side of this end, and how many bytes can be read or written there now; none to read is the end.
    ///
    /// # Errors
    /// [`Refused::BadEnd`] unless it is the owner's; [`Refused::NotYet`], [`Refused::NoReader`].
    pub fn ready(&self, owner: u32, end: End) -> Result<(usize, Side, usize), Refused> {
        let (number, side) = self.ends.find(owner, end).ok_or(Refused::BadEnd)?;
        let pipe = &self.pipes[number];
        let bytes = match side {
            Side::Read if pipe.length == 0 && !pipe.has_ended() => Err(Refused::NotYet),
            Side::Read => Ok(pipe.length),
            // As much as there is room for, of more than it holds.
            Side::Write => self.room(number, usize::MAX),
        };
        Ok((number, side, bytes?))
    }

    /// Another owner is to open this side of a pipe that this one has made, unless it has done so already; until then that
    /// side has not ended. `None` of one that has ended, or is nobody's number: it is as if it had come and gone. Returns the
    /// pipe, for those who wait there.
    ///
    /// # Errors
    /// [`Refused::NoSuchPipe`], [`Refused::NotYours`].
    pub fn expect(
        &mut self,
        owner: u32,
        key: Key,
        side: Side,
        other: Option<u32>,
    ) -> Result<usize, Refused> {
        let pipe = self.find(key)?;
        if self.pipes[pipe].maker != Some(owner) {
            return Err(Refused::NotYours);
        }
        let bit = other.map_or(0, |other| self.owners.bit(other));
        self.pipes[pipe].expect(side, bit);
        Ok(pipe)
    }

    /// An owner has ended: a pipe to which it was to come, if there is one left, for those who wait there.
    pub fn give_up(&mut self, owner: u32) -> Option<usize> {
        let bit = self.owners.bit(owner);
        self.pipes.iter_mut().position(|pipe| pipe.gives_up(bit))
    }

    /// How many names, or numbers, the pipe of an end has: none if it was removed.
    ///
    /// # Errors
    /// [`Refused::BadEnd`] unless it is the owner's.
    pub fn links(&self, owner: u32, end: End) -> Result<u32, Refused> {
        let (pipe, _) = self.ends.find(owner, end).ok_or(Refused::BadEnd)?;
        Ok(u32::from(!self.pipes[pipe].is_removed()))
    }

    /// How many bytes a pipe holds.
    ///
    /// # Errors
    /// [`Refused::NoSuchPipe`].
    pub fn capacity(&self, key: Key) -> Result<usize, Refused> {
        Ok(self.pipes[self.find(key)?].capacity)
    }

    /// Whether somebody reads the pipe now.
    ///
    /// # Errors
    /// [`Refused::NoSuchPipe`].
    pub fn is_read(&self, key: Key) -> Result<bool, Refused> {
        Ok(self.pipes[self.find(key)?].is_read())
    }

    /// Whether there is, or has been, somebody at the other side of an end's pipe.
    ///
    /// # Errors
    /// [`Refused::BadEnd`] unless it is the owner's; [`Refused::NotYet`].
    pub fn met(&self, owner: u32, end: End) -> Result<(), Refused> {
        let (number, side) = self.ends.find(owner, end).ok_or(Refused::BadEnd)?;
        if self.pipes[number].has_met(side) {
            Ok(())
        } else {
            Err(Refused::NotYet)
        }
    }

    /// How many bytes of a write of `length` bytes go into a pipe now: all or none, if the pipe could hold them all;
    /// else as many as there is room for.
    ///
    /// # Errors
    /// [`Refused::NotYet`], [`Refused::NoReader`].
    pub fn room(&self, pipe: usize, length: usize) -> Result<usize, Refused> {
        let pipe = &self.pipes[pipe];
        if pipe.has_no_reader() {
            return Err(Refused::NoReader);
        }
        let room = pipe.room();
        match length {
            0 => Ok(0),
            _ if length <= room => Ok(length),
            _ if length <= pipe.capacity || room == 0 => Err(Refused::NotYet),
            _ => Ok(room),
        }
    }

    /// Puts bytes in, as many as [`Store::room`] says at most.
    pub fn push(&mut self, pipe: usize, bytes: &[u8]) {
        let [first, second] = self.free(pipe, bytes.len());
        let bytes = &bytes[..first.len() + second.len()];
        let (begin, rest) = bytes.split_at(first.len());
        first.copy_from_slice(begin);
        second.copy_from_slice(rest);
        self.put(pipe, bytes.len());
    }

    /// Where the next bytes go, as many as [`Store::room`] says at most: in one piece, or the first of two. They are in the
    /// pipe when they are [`put`](Store::put).
    pub fn free(&mut self, pipe: usize, length: usize) -> [&mut [u8]; 2] {
        self.pipes[pipe].free(&mut self.bytes, length)
    }

    /// So many bytes were written to where [`Store::free`] shows.
    pub fn put(&mut self, pipe: usize, length: usize) {
        self.pipes[pipe].put(length);
    }

    /// Bytes that come first: in one piece, or the first of two. None at all at the end of what was written.
    ///
    /// # Errors
    /// [`Refused::NotYet`] as long as somebody may write some.
    pub fn first(&self, pipe: usize) -> Result<&[u8], Refused> {
        let pipe = &self.pipes[pipe];
        if pipe.length == 0 && !pipe.has_ended() {
            return Err(Refused::NotYet);
        }
        Ok(pipe.first(&self.bytes))
    }

    /// Bytes that come behind [those](Store::first), where they begin anew: none if all are in one piece.
    #[must_use]
    pub fn second(&self, pipe: usize) -> &[u8] {
        self.pipes[pipe].second(&self.bytes)
    }

    /// Takes away so many bytes, of those that [`Store::first`] and [`Store::second`] show.
    pub fn take(&mut self, pipe: usize, length: usize) {
        self.pipes[pipe].take(length);
    }
}

impl<const PIPES: usize, const ENDS: usize, const BYTES: usize> Default
    for Store<PIPES, ENDS, BYTES>
{
    fn default() -> Self {
        Self::new()
    }
}
