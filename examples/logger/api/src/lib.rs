//! What the processes of the logger agree on.
#![no_std]

use riposte::interface::ApplicationError;
use riposte::zerocopy::{FromBytes, Immutable, IntoBytes};

/// A reading of the sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoBytes, FromBytes, Immutable)]
#[zerocopy(crate = "riposte::zerocopy")]
#[repr(C)]
pub struct Reading {
    /// When it was taken: milliseconds since the start of the system.
    pub at: u32,
    /// Hundredths of a degree Celsius.
    pub value: i32,
}

/// All readings that the store has had since its own start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoBytes, FromBytes, Immutable)]
#[zerocopy(crate = "riposte::zerocopy")]
#[repr(C)]
pub struct Summary {
    /// How many there were.
    pub count: u32,
    /// The lowest one, in hundredths of a degree Celsius.
    pub lowest: i32,
    /// The highest one.
    pub highest: i32,
    /// Their mean.
    pub mean: i32,
}

/// There is no reading yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ApplicationError)]
pub struct Empty;

/// Keeps readings.
#[riposte::interface]
pub trait Store {
    /// Keeps a reading.
    fn add(&mut self, reading: Reading);

    /// What there is to say of all of them.
    fn summary(&self) -> Result<Summary, Empty>;

    /// As many of the newest readings as there is room for, the newest one first; how many these are.
    fn newest(&self, room: &mut [Reading]) -> usize;

    /// Crashes: to see what follows.
    fn crash(&mut self);
}

/// Takes readings.
#[riposte::interface]
pub trait Sensor {
    /// How often it takes one: each `milliseconds`, 1 to 500. Returns what it was before.
    fn set_period(&mut self, milliseconds: u32) -> u32;

    /// Hangs: to see what follows. The answer comes first.
    fn hang(&mut self);
}

/// By which bits the watchdog is told that somebody is alive.
pub mod alive {
    /// The sensor.
    pub const SENSOR: u32 = 1;
    /// The store.
    pub const STORE: u32 = 1 << 1;
}
