//! Regions that are made at run time, of pools of the manifest.

use core::ops::Range;
use core::sync::atomic::AtomicU32;

use riposte_abi::Error;
use riposte_abi::call::{operation, word};
use riposte_abi::region::{number as about, right};
use riposte_abi::register;

use crate::{Part, PartMut, Region, RegionError, Shared, failure, trap};

/// Memory of the manifest, of which this process may make regions: [`crate::pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    position: u32,
}

/// A handle of a region that was made at run time: the right to map it, and perhaps to write it and to hand it on.
///
/// The region is there as long as anybody has a handle of it, or has it mapped. Whoever gets it in an answer
/// ([`crate::Connection::send_for_region`]) has a handle of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct RegionHandle {
    handle: u32,
}

/// What a handle of a region allows beyond reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionRights {
    /// Map it to be written.
    pub write: bool,
    /// Hand it on in an answer: whoever gets it can write if this one can.
    pub transfer: bool,
    /// Whoever gets it may hand it on, too.
    pub onward: bool,
}

/// A region that is mapped into this process, until this is dropped: as of a [`Region`], there is never a plain
/// reference to its bytes, and nothing that comes of it outlives it.
///
/// Messages may lie there, and what threads of all processes that have it mapped to write wait for each other with
/// ([`crate::sync`]). Nobody waits there when it is dropped: they borrow it. A thread that waits by an address of its own
/// making ([`crate::futex`]) is told [`Error::BadAddress`] then.
#[derive(Debug)]
pub struct Mapping {
    region: Region,
}

impl Pool {
    pub(crate) const fn at(position: u32) -> Pool {
        Pool { position }
    }

    /// Makes a region, a block of zeros, which nobody else has. To clear it takes the longer, the larger it is, and it
    /// is this process that works for it. Never blocks.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if no block is free, or as many as the manifest lets this process make are not gone yet,
    /// whoever has them; [`Error::NoHandles`] if this process has no room for the handle.
    pub fn make(self) -> Result<RegionHandle, Error> {
        self.make_with_length().map(|(region, _)| region)
    }

    /// As [`Pool::make`]; and the region's bytes, which this process may have no place to map.
    ///
    /// # Errors
    /// As [`Pool::make`].
    pub fn make_with_length(self) -> Result<(RegionHandle, usize), Error> {
        let made = perform(about::CREATE, [self.position, 0])?;
        let handle = made[register::WORD0];
        Ok((RegionHandle { handle }, made[register::WORD1] as usize))
    }
}

impl RegionHandle {
    /// A handle of a region from its raw value, as another language keeps it.
    #[must_use]
    pub const fn from_handle(handle: u32) -> RegionHandle {
        RegionHandle { handle }
    }

    /// The handle, for calls that this library doesn't wrap.
    #[must_use]
    pub const fn handle(&self) -> u32 {
        self.handle
    }

    /// Maps the region, to be read and written. Never blocks.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] if it may only be read; [`Error::InUse`] if this process has it mapped already;
    /// [`Error::Exhausted`] if it has as many mapped as `mappings` in its manifest says; [`Error::BadHandle`] if this
    /// is none, or was closed.
    pub fn map(&self) -> Result<Mapping, Error> {
        self.map_with(right::WRITE)
    }

    /// As [`RegionHandle::map`], to be read only.
    ///
    /// # Errors
    /// As [`RegionHandle::map`], but for [`Error::NotPermitted`].
    pub fn map_to_read(&self) -> Result<Mapping, Error> {
        self.map_with(0)
    }

    fn map_with(&self, rights: u32) -> Result<Mapping, Error> {
        let mapped = perform(about::MAP, [self.handle, rights])?;
        let (address, length) = (mapped[register::WORD0], mapped[register::WORD1]);
        Ok(Mapping {
            region: Region::new(address, length, rights != 0),
        })
    }

    /// Another handle of the region, with those of these rights that this one has: to hand over less than one has
    /// oneself. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoHandles`] if this process has no room for it; [`Error::BadHandle`] as for [`RegionHandle::map`].
    pub fn copy(&self, rights: RegionRights) -> Result<RegionHandle, Error> {
        let write = if rights.write { right::WRITE } else { 0 };
        let transfer = if rights.transfer { right::TRANSFER } else { 0 };
        let onward = if rights.onward { right::ONWARD } else { 0 };
        let handle =
            perform(about::COPY, [self.handle, write | transfer | onward])?[register::WORD0];
        Ok(RegionHandle { handle })
    }

    /// Gives up the handle. A mapping stays.
    ///
    /// # Errors
    /// [`Error::BadHandle`] if it was closed already.
    pub fn close(self) -> Result<(), Error> {
        crate::connection::close(self.handle)
    }
}

fn perform(about: u32, words: [u32; 2]) -> Result<crate::Registers, Error> {
    failure::perform(word(operation::REGION, about), words)
}

impl Mapping {
    /// Where this process sees it. Others may see it elsewhere.
    #[must_use]
    pub const fn address(&self) -> u32 {
        self.region.address()
    }

    /// Its bytes: a power of two.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.region.length()
    }

    /// Whether it is mapped to be written.
    #[must_use]
    pub const fn is_writable(&self) -> bool {
        self.region.is_writable()
    }

    /// As [`Region::cast`].
    ///
    /// # Errors
    /// As [`Region::cast`].
    pub fn cast<T: Shared>(&self) -> Result<&T, RegionError> {
        self.region.cast()
    }

    /// As [`Region::words`].
    ///
    /// # Errors
    /// [`RegionError::ReadOnly`].
    pub fn words(&self) -> Result<&[AtomicU32], RegionError> {
        self.region.words()
    }

    /// As [`Region::read`].
    pub fn read(&self, offset: usize, to: &mut [u8]) -> usize {
        self.region.read(offset, to)
    }

    /// As [`Region::write`].
    ///
    /// # Errors
    /// [`RegionError::ReadOnly`].
    pub fn write(&self, offset: usize, from: &[u8]) -> Result<usize, RegionError> {
        self.region.write(offset, from)
    }

    /// As [`Region::load`].
    #[must_use]
    pub fn load(&self, offset: usize) -> Option<u32> {
        self.region.load(offset)
    }

    /// As [`Region::store`].
    ///
    /// # Errors
    /// As [`Region::store`].
    pub fn store(&self, offset: usize, value: u32) -> Result<(), RegionError> {
        self.region.store(offset, value)
    }

    /// As [`Region::part`].
    #[must_use]
    pub fn part(&self, bytes: Range<usize>) -> Option<Part<'_>> {
        self.region.part(bytes)
    }

    /// As [`Region::part_mut`].
    #[must_use]
    pub fn part_mut(&self, bytes: Range<usize>) -> Option<PartMut<'_>> {
        self.region.part_mut(bytes)
    }
}

impl Drop for Mapping {
    /// Unmaps it: nothing that borrows from it is left.
    fn drop(&mut self) {
        trap::give_up(self.region.address());
    }
}
