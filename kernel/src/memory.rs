//! The one typed door to user memory: a range is an allegation until its process has checked it.

/// What a process may do with a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read (and execute) only: code and constants.
    Read,
    /// Read and write.
    ReadWrite,
    /// Device registers: the process itself may touch them, the kernel never copies there.
    Device,
}

/// A stretch of memory that a process owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First byte.
    pub base: u32,
    /// Length in bytes.
    pub size: u32,
    /// What the process may do with it.
    pub access: Access,
}

impl Range {
    /// Whether `length` bytes at `address` lie within, without overflow.
    #[must_use]
    #[inline(always)]
    pub const fn holds(&self, address: u32, length: u32) -> bool {
        match self.size.checked_sub(address.wrapping_sub(self.base)) {
            Some(room) => length <= room,
            None => false,
        }
    }
}

impl Range {
    /// Bytes of this writable range, checked: a shorter way to what [`crate::Process::writable`]
    /// says.
    #[inline(always)]
    pub(crate) fn writable(&self, address: u32, length: u32) -> Option<Writable> {
        self.holds(address, length)
            .then_some(Writable { address, length })
    }

    /// Bytes of this writable range, checked, to be read.
    #[inline(always)]
    pub(crate) fn readable(&self, address: u32, length: u32) -> Option<Readable> {
        self.holds(address, length)
            .then_some(Readable { address, length })
    }
}

/// A range is not the process's to read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// Bytes that their process may read, checked. Only [`crate::Process::readable`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Readable {
    address: u32,
    length: u32,
}

/// Bytes that their process may write, checked. Only [`crate::Process::writable`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Writable {
    address: u32,
    length: u32,
}

macro_rules! checked {
    ($name:ident) => {
        impl $name {
            pub(crate) const fn new(address: u32, length: u32) -> Self {
                Self { address, length }
            }

            /// First byte's address.
            #[must_use]
            #[inline(always)]
            pub const fn address(&self) -> u32 {
                self.address
            }

            /// Length in bytes.
            #[must_use]
            #[inline(always)]
            pub const fn length(&self) -> u32 {
                self.length
            }

            /// The part of it from `offset` on, at most `length` bytes.
            #[must_use]
            #[inline(always)]
            pub const fn part(&self, offset: u32, length: u32) -> Self {
                let offset = if offset < self.length {
                    offset
                } else {
                    self.length
                };
                let rest = self.length - offset;
                Self {
                    address: self.address + offset,
                    length: if length < rest { length } else { rest },
                }
            }
        }
    };
}

checked!(Readable);
checked!(Writable);

/// The bytes that a transfer moves: both ranges cut to the shorter one.
#[inline(always)]
pub(crate) fn common(from: Readable, to: Writable) -> (Readable, Writable) {
    let length = if from.length < to.length {
        from.length
    } else {
        to.length
    };
    (Readable { length, ..from }, Writable { length, ..to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_what_lies_within_and_nothing_else() {
        let range = Range {
            base: 0x2000_0000,
            size: 0x100,
            access: Access::ReadWrite,
        };
        assert!(range.holds(0x2000_0000, 0x100));
        assert!(range.holds(0x2000_0100, 0));
        assert!(range.holds(0x2000_00FF, 1));
        assert!(!range.holds(0x2000_00FF, 2));
        assert!(!range.holds(0x1FFF_FFFF, 1));
        assert!(!range.holds(0x2000_0000, 0x101));
        assert!(!range.holds(0x2000_0080, u32::MAX));
        assert!(!range.holds(u32::MAX, 2));
    }

    #[test]
    fn a_range_at_the_end_of_memory_does_not_wrap() {
        let range = Range {
            base: 0xFFFF_FF00,
            size: 0x100,
            access: Access::Read,
        };
        assert!(range.holds(0xFFFF_FF00, 0x100));
        assert!(!range.holds(0xFFFF_FFFF, 2));
        assert!(!range.holds(0, 1));
    }
}
