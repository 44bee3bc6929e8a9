//! What sensor and display agree on: one trait, from which the client and the server's dispatcher
//! are made.
#![no_std]

use riposte::Text;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, ApplicationError)]
pub struct NoSuchPlace;

/// A thermometer with several places.
#[riposte::interface]
pub trait Thermometer {
    /// The temperature of a place in hundredths of a degree Celsius.
    fn read(&mut self, place: u32) -> Result<i32, NoSuchPlace>;

    /// The coldest and the warmest of the last readings of a place.
    fn extremes(&self, place: u32) -> Result<(i32, i32), NoSuchPlace>;

    /// The last readings of a place.
    fn history(&self, place: u32) -> Result<History, NoSuchPlace>;

    /// As many of the last readings of a place as there is room for, the newest one first; how many these are.
    fn newest(&self, place: u32, room: &mut [i32]) -> Result<usize, NoSuchPlace>;

    /// Names a place; whether the name is short enough.
    fn set_name(&mut self, place: u32, name: &str) -> Result<bool, NoSuchPlace>;

    /// The name of a place.
    fn name(&self, place: u32, name: &mut Text) -> Result<(), NoSuchPlace>;
}
