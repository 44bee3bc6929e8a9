//! What the pipe server keeps: bytes on their way, and who has which end of a pipe.
//!
//! Nothing here knows of messages or calls; an owner is a number. A step takes time with the bytes that it moves, and
//! to open an end, or to close all ends of an owner, with the number of all ends.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod end;
mod pipe;
#[cfg(test)]
mod tests;

pub use end::{End, Side};
pub use pipe::Name;

use end::Ends;
use pipe::Pipe;

/// Why something is not done; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no pipe of that name.
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
}

/// Pipes, at most `PIPES` of `BYTES` bytes in all, with at most `ENDS` ends.
pub struct Store<const PIPES: usize, const ENDS: usize, const BYTES: usize> {
    pipes: [Pipe; PIPES],
    count: usize,
    bytes: [u8; BYTES],
    used: usize,
    ends: Ends<ENDS>,
}

impl<const PIPES: usize, const ENDS: usize, const BYTES: usize> Store<PIPES, ENDS, BYTES> {
    /// One without a pipe.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            pipes: [const { Pipe::NONE }; PIPES],
            count: 0,
            bytes: [0; BYTES],
            used: 0,
            ends: Ends::new(),
        }
    }

    /// Makes a pipe that holds up to `capacity` bytes.
    ///
    /// # Errors
    /// [`Refused::BadPipe`].
    pub fn make(&mut self, name: Name, capacity: usize) -> Result<(), Refused> {
        if capacity == 0 || capacity > BYTES - self.used || self.find(name).is_some() {
            return Err(Refused::BadPipe);
        }
        let place = self.pipes.get_mut(self.count).ok_or(Refused::BadPipe)?;
        *place = Pipe::new(name, self.used, capacity);
        self.count += 1;
        self.used += capacity;
        Ok(())
    }

    fn find(&self, name: Name) -> Option<usize> {
        let pipes = self.pipes.iter().take(self.count);
        pipes.into_iter().position(|pipe| pipe.name == name)
    }

    /// An end of a pipe for an owner, which has at most `most` of them.
    ///
    /// # Errors
    /// [`Refused::NoSuchPipe`], [`Refused::TooManyEnds`].
    pub fn open(
        &mut self,
        owner: u32,
        name: Name,
        side: Side,
        most: usize,
    ) -> Result<End, Refused> {
        let pipe = self.find(name).ok_or(Refused::NoSuchPipe)?;
        let end = self.ends.open(owner, pipe, side, most);
        let end = end.ok_or(Refused::TooManyEnds)?;
        self.pipes[pipe].opened(side);
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

    /// Closes an end of an owner that has ended, if there is one left. Returns its pipe.
    pub fn leave(&mut self, owner: u32) -> Option<usize> {
        let end = self.ends.of(owner)?;
        self.close(owner, end).ok()
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
        self.pipes[pipe].push(&mut self.bytes, bytes);
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

    /// Takes away so many bytes, of those that [`Store::first`] shows.
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
