//! The one typed door to user memory: a range is an allegation until its process has checked it.
//!
//! The door also translates: outside it, addresses are those that the process sees; what has passed
//! ([`Readable`], [`Writable`]) lies where the kernel sees it.

use crate::{limits, memory::word::Word};

/// What a process may do with a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read (and execute) only: code and constants.
    Read,
    /// Read and write.
    ReadWrite,
    /// Device registers: the process itself may touch them, the kernel never copies there.
    Device,
    /// Read and write, as other processes may: the kernel copies there, but nothing of it can be
    /// lent, since its lender could not promise that nobody else changes it.
    Shared,
}

/// A stretch of memory that a process owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First byte, where the process sees it.
    pub base: u32,
    /// Length in bytes.
    pub size: u32,
    /// What the process may do with it.
    pub access: Access,
    /// What is added to the process's address to make the kernel's. Where addresses are not
    /// translated there is no such word, and nothing is added.
    displacement: [u32; limits::TRANSLATED as usize],
}

impl Range {
    /// No memory.
    pub const NONE: Range = Range::new(0, 0, Access::ReadWrite);

    /// A range that the kernel sees where its process does.
    #[must_use]
    pub const fn new(base: u32, size: u32, access: Access) -> Self {
        Self {
            base,
            size,
            access,
            displacement: [0; limits::TRANSLATED as usize],
        }
    }

    /// The range, whose first byte the kernel sees at `machine`.
    ///
    /// # Panics
    /// If addresses are not translated, and `machine` is another address than the process's.
    #[must_use]
    pub const fn at(mut self, machine: u32) -> Self {
        match self.displacement.first_mut() {
            Some(displacement) => *displacement = machine.wrapping_sub(self.base),
            None => assert!(machine == self.base),
        }
        self
    }

    /// Where the kernel sees what the process sees at `address`.
    #[must_use]
    #[inline(always)]
    pub const fn machine(&self, address: u32) -> u32 {
        match self.displacement.first() {
            Some(displacement) => address.wrapping_add(*displacement),
            None => address,
        }
    }

    /// Whether `length` bytes at `address` lie within, without overflow.
    #[must_use]
    #[inline(always)]
    pub const fn holds(&self, address: u32, length: u32) -> bool {
        match self.size.checked_sub(address.wrapping_sub(self.base)) {
            Some(room) => length <= room,
            None => false,
        }
    }

    /// Whether the kernel may read there for its process.
    #[inline(always)]
    pub(super) fn is_readable(&self) -> bool {
        self.access != Access::Device
    }

    /// Whether the kernel may write there for its process.
    #[inline(always)]
    pub(super) fn is_writable(&self) -> bool {
        self.access == Access::ReadWrite || limits::SHARED_MEMORY && self.access == Access::Shared
    }

    /// Bytes of this writable range, checked: a shorter way to what [`crate::Process::writable`]
    /// says.
    #[inline(always)]
    pub(super) fn writable(&self, address: u32, length: u32) -> Option<Writable> {
        self.holds(address, length)
            .then(|| Writable::new(self.machine(address), length))
    }

    /// Bytes of this writable range, checked, to be read.
    #[inline(always)]
    pub(super) fn readable(&self, address: u32, length: u32) -> Option<Readable> {
        self.holds(address, length)
            .then(|| Readable::new(self.machine(address), length))
    }
}

/// The first range of a process, which is its own to read and to write: where its data and its stacks
/// lie, and most of what its calls name.
#[derive(Clone, Copy)]
pub(crate) struct Data(Range);

impl Data {
    /// That of a process with these ranges.
    ///
    /// # Panics
    /// The first one is something else.
    pub const fn first_of(memory: &'static [Range]) -> Self {
        assert!(matches!(memory[0].access, Access::ReadWrite));
        Self(memory[0])
    }

    /// These bytes, checked, to be read.
    #[inline(always)]
    pub fn readable(&self, address: u32, length: u32) -> Option<Readable> {
        self.0.readable(address, length)
    }

    /// These bytes, checked, to be written.
    #[inline(always)]
    pub fn writable(&self, address: u32, length: u32) -> Option<Writable> {
        self.0.writable(address, length)
    }

    /// The word at this address, if it is aligned and lies here. This range is the process's for good.
    #[inline(always)]
    pub fn word(&self, address: u32) -> Option<Word> {
        if address.is_multiple_of(4) && self.0.holds(address, 4) {
            Word::new(self.0.machine(address))
        } else {
            None
        }
    }
}

/// A range is not the process's to read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// Bytes that their process may read, checked. Only the door makes one ([`crate::Process::readable`]):
///
/// ```compile_fail,E0624
/// riposte_kernel::Readable::new(0, 4);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Readable {
    /// As the kernel sees it.
    address: u32,
    length: u32,
}

value! {
/// Bytes that their process may write, checked. Only the door makes one ([`crate::Process::writable`]):
///
/// ```compile_fail,E0624
/// riposte_kernel::Writable::new(0, 4);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Writable {
    /// As the kernel sees it.
    address: u32,
    length: u32,
}
}

macro_rules! checked {
    ($name:ident) => {
        impl $name {
            /// Only what has checked the bytes makes one: the modules of this folder.
            #[inline(always)]
            pub(super) const fn new(address: u32, length: u32) -> Self {
                Self { address, length }
            }

            /// First byte's address, as the kernel sees it.
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

#[cfg(feature = "snapshot")]
impl crate::snapshot::State for Data {
    fn pass(&self, _: &mut impl crate::snapshot::Pass) {}
}

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
        let range = Range::new(0x2000_0000, 0x100, Access::ReadWrite);
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
        let range = Range::new(0xFFFF_FF00, 0x100, Access::Read);
        assert!(range.holds(0xFFFF_FF00, 0x100));
        assert!(!range.holds(0xFFFF_FFFF, 2));
        assert!(!range.holds(0, 1));
    }

    #[test]
    fn what_has_passed_the_door_lies_where_the_kernel_sees_it() {
        let machine = if limits::TRANSLATED {
            0x8040_3000
        } else {
            0x4000_0000
        };
        let range = Range::new(0x4000_0000, 0x100, Access::ReadWrite).at(machine);
        let from = range.readable(0x4000_0010, 8).expect("within");
        let to = range.writable(0x4000_00F8, 8).expect("within");
        assert_eq!((from.address(), from.length()), (machine + 0x10, 8));
        assert_eq!((to.address(), to.length()), (machine + 0xF8, 8));
        assert!(range.readable(machine + 0x10, 8).is_none() || !limits::TRANSLATED);
        assert!(range.writable(0x4000_00F9, 8).is_none());
    }
}
