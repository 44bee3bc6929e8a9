//! Memory that processes have in common.

use core::fmt;
use core::ops::Range;
use core::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicU8, AtomicU16, AtomicU32, Ordering,
};

use zerocopy::FromBytes;

use crate::{Part, PartMut, trap};

/// A region that the manifest gives this process and others: every one of them may read it, and those
/// that it says may write it, at any time. So there is never a plain reference to its bytes: they are
/// reached through types that are made for it ([`Region::cast`]), copied ([`Region::read`],
/// [`Region::write`]), or named in a message ([`Region::part`], [`Region::part_mut`]).
///
/// It is zero when the system starts. It keeps what it holds when one of its processes, or all of
/// them, end or start again: who comes back finds what it left, perhaps half done.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    address: u32,
    length: u32,
    writable: bool,
}

/// A type whose values can lie in a region.
///
/// [`derive`](macro@crate::Shared) it for a `#[repr(C)]` structure of such types:
///
/// ```
/// use core::sync::atomic::AtomicU32;
/// use riposte::Shared;
///
/// #[derive(Shared)]
/// #[repr(C)]
/// struct Samples {
///     count: AtomicU32,
///     newest: [AtomicU32; 16],
/// }
/// ```
///
/// What has no such layout, or a value that not any bytes are, does not compile:
///
/// ```compile_fail
/// #[derive(riposte::Shared)]
/// struct Unordered {
///     count: core::sync::atomic::AtomicU32,
/// }
/// ```
///
/// ```compile_fail
/// #[derive(riposte::Shared)]
/// #[repr(C)]
/// struct Flag {
///     set: core::sync::atomic::AtomicBool,
/// }
/// ```
///
/// # Safety
/// Any bytes are a value of the type, and zeros are what it begins as. Its layout is the same in every
/// program. A reference to it stays sound whatever other processes, which need not be honest, write
/// there at any time: all that it holds are atomics, or reached with the like of them.
pub unsafe trait Shared: Sync + 'static {}

macro_rules! shared {
    ($($atomic:ty),*) => {
        $(
            // SAFETY: an atomic of a type for which any bytes are a value.
            unsafe impl Shared for $atomic {}
        )*
    };
}
shared!(
    AtomicU8, AtomicU16, AtomicU32, AtomicI8, AtomicI16, AtomicI32
);

// SAFETY: as its elements, which follow each other.
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}

/// A region can't be used so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionError {
    /// There are fewer bytes than the value has.
    TooShort,
    /// The value must lie at a multiple of more than the region does.
    Alignment,
    /// The manifest lets this process only read the region.
    ReadOnly,
}

impl fmt::Display for RegionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RegionError::TooShort => "the region is too short: raise its `size` in app.toml",
            RegionError::Alignment => "the region is not aligned for the value",
            RegionError::ReadOnly => {
                "the region may only be read: access = \"read-write\" in app.toml allows more"
            }
        })
    }
}

impl core::error::Error for RegionError {}

impl Region {
    pub(crate) const fn new(address: u32, length: u32, writable: bool) -> Region {
        Region {
            address,
            length,
            writable,
        }
    }

    /// Where this process sees it: a multiple of its length, and the same in all its processes.
    #[must_use]
    pub const fn address(self) -> u32 {
        self.address
    }

    /// Its bytes: a power of two.
    #[must_use]
    pub const fn length(self) -> usize {
        self.length as usize
    }

    /// Whether this process may write it.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        self.writable
    }

    /// What lies at its beginning, as a `T`. All processes that use it so must mean the same type.
    ///
    /// # Errors
    /// [`RegionError`] if the region is shorter or less aligned than a `T`, or may only be read: such
    /// types write even where they are asked to read. ([`Region::read`] does not.)
    pub fn cast<T: Shared>(self) -> Result<&'static T, RegionError> {
        if !self.writable {
            return Err(RegionError::ReadOnly);
        }
        if size_of::<T>() > self.length() {
            return Err(RegionError::TooShort);
        }
        trap::shared(self.address).ok_or(RegionError::Alignment)
    }

    /// All of it as words, to be read and written like any other atomics: for who keeps more there than one type can say.
    ///
    /// # Errors
    /// [`RegionError::ReadOnly`], as for [`Region::cast`].
    pub fn words(self) -> Result<&'static [AtomicU32], RegionError> {
        if !self.writable {
            return Err(RegionError::ReadOnly);
        }
        let range = trap::Range {
            address: self.address,
            length: self.length,
        };
        trap::shared_words(range).ok_or(RegionError::Alignment)
    }

    /// Copies the bytes from `offset` on into `to`, each at some moment of the call: what others write
    /// meanwhile may be seen in part. Returns how many there were.
    pub fn read(self, offset: usize, to: &mut [u8]) -> usize {
        let from = self.bytes(offset);
        let length = to.len().min(from.len());
        let mut done = 0;
        // Word by word, if both begin where a word does.
        if let (Some(from), Ok((to, _))) = (
            self.words_from(offset),
            <[u32]>::mut_from_prefix_with_elems(to, length / 4),
        ) {
            for (to, from) in to.iter_mut().zip(from) {
                *to = from.load(Ordering::Relaxed);
            }
            done = size_of_val(to);
        }
        for (to, from) in to.iter_mut().zip(from).skip(done) {
            *to = from.load(Ordering::Relaxed);
        }
        length
    }

    /// Copies `from` to where `offset` says, as far as the region goes. Returns how many bytes.
    ///
    /// # Errors
    /// [`RegionError::ReadOnly`].
    pub fn write(self, offset: usize, from: &[u8]) -> Result<usize, RegionError> {
        if !self.writable {
            return Err(RegionError::ReadOnly);
        }
        let to = self.bytes(offset);
        let length = to.len().min(from.len());
        let mut done = 0;
        if let (Some(to), Ok((from, _))) = (
            self.words_from(offset),
            <[u32]>::ref_from_prefix_with_elems(from, length / 4),
        ) {
            for (to, from) in to.iter().zip(from) {
                to.store(*from, Ordering::Relaxed);
            }
            done = size_of_val(from);
        }
        for (to, from) in to.iter().zip(from).skip(done) {
            to.store(*from, Ordering::Relaxed);
        }
        Ok(length)
    }

    /// The word at `offset`, a multiple of 4; none if there is no such. What was written before the
    /// word, by who wrote it with [`Ordering::Release`], is seen after it.
    #[must_use]
    pub fn load(self, offset: usize) -> Option<u32> {
        let offset = self.part_range(offset..offset.checked_add(4)?)?;
        trap::shared::<AtomicU32>(offset.start).map(|word| word.load(Ordering::Acquire))
    }

    /// Writes the word at `offset`, a multiple of 4, in one step. Who sees it by [`Region::load`] sees what was written
    /// before, too, and so does a process that starts again, wherever it was ended.
    ///
    /// # Errors
    /// [`RegionError::ReadOnly`], [`RegionError::TooShort`] if the word is not all in it, [`RegionError::Alignment`].
    pub fn store(self, offset: usize, value: u32) -> Result<(), RegionError> {
        if !self.writable {
            return Err(RegionError::ReadOnly);
        }
        let end = offset.checked_add(4).ok_or(RegionError::TooShort)?;
        let word = self.part_range(offset..end).ok_or(RegionError::TooShort)?;
        let word = trap::shared::<AtomicU32>(word.start).ok_or(RegionError::Alignment)?;
        word.store(value, Ordering::Release);
        Ok(())
    }

    /// These bytes of the region as a piece of a message: the kernel copies them from there. None if
    /// they are not all in it.
    #[must_use]
    pub fn part(self, bytes: Range<usize>) -> Option<Part<'static>> {
        self.part_range(bytes).map(Part::in_region)
    }

    /// These bytes of the region as a place for a piece of a message: the kernel copies it there. None
    /// if they are not all in it, or the region may only be read.
    #[must_use]
    pub fn part_mut(self, bytes: Range<usize>) -> Option<PartMut<'static>> {
        let range = self.part_range(bytes).filter(|_| self.writable);
        range.map(PartMut::in_region)
    }

    /// The addresses of these bytes, if they are all in the region.
    fn part_range(self, bytes: Range<usize>) -> Option<Range<u32>> {
        (bytes.start <= bytes.end && bytes.end <= self.length())
            .then(|| self.address + bytes.start as u32..self.address + bytes.end as u32)
    }

    /// The words from `offset` on, if it is a multiple of 4 and there are any.
    fn words_from(self, offset: usize) -> Option<&'static [AtomicU32]> {
        if offset >= self.length() {
            return None;
        }
        trap::shared_words(trap::Range {
            address: self.address + offset as u32,
            length: self.length - offset as u32,
        })
    }

    /// The bytes from `offset` on.
    fn bytes(self, offset: usize) -> &'static [AtomicU8] {
        let offset = offset.min(self.length());
        trap::shared_bytes(trap::Range {
            address: self.address + offset as u32,
            length: self.length - offset as u32,
        })
    }
}
