//! What sensor and display agree on: one trait, from which the client and the server's dispatcher
//! are made.
#![no_std]

use riposte::Status;
use riposte::interface::ApplicationError;
use riposte::zerocopy::{FromBytes, Immutable, IntoBytes};

/// The last readings of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoBytes, FromBytes, Immutable)]
#[zerocopy(crate = "riposte::zerocopy")]
#[repr(C)]
pub struct History {
    /// How many readings there were.
    pub count: u32,
    /// The newest ones first, in hundredths of a degree Celsius.
    pub readings: [i32; 8],
}

/// There is no such place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchPlace;

impl ApplicationError for NoSuchPlace {
    fn into_status(self) -> Status {
        Status(1)
    }

    fn from_status(status: Status) -> Option<Self> {
        (status == Status(1)).then_some(NoSuchPlace)
    }
}

/// A thermometer with several places.
#[riposte::interface]
pub trait Thermometer {
    /// The temperature of a place in hundredths of a degree Celsius. Travels in registers.
    fn read(&mut self, place: u32) -> Result<i32, NoSuchPlace>;

    /// The last readings of a place. Travels in memory, since it doesn't fit in registers.
    fn history(&self, place: u32) -> Result<History, NoSuchPlace>;

    /// Names a place; returns how long its name is now, which may be cut.
    fn name(&mut self, place: u8, name: &[u8]) -> usize;
}
