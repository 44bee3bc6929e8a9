//! What camera, filter and sink agree on.
#![no_std]

use riposte::zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};
use riposte::{Memory, Status};

/// Pixels of a row.
pub const WIDTH: usize = 64;
/// Rows.
pub const HEIGHT: usize = 48;

/// A picture. All processes see it where it lies.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable)]
#[zerocopy(crate = "riposte::zerocopy")]
#[repr(C)]
pub struct Frame {
    /// Which one it is.
    pub number: u32,
    /// Brightness of each pixel.
    pub pixels: [[u8; WIDTH]; HEIGHT],
}

impl Frame {
    /// The mean brightness.
    #[must_use]
    pub fn mean(&self) -> u32 {
        let pixels = self.pixels.as_flattened();
        pixels.iter().map(|pixel| u32::from(*pixel)).sum::<u32>() / (WIDTH * HEIGHT) as u32
    }
}

/// Bytes that a frame's memory has.
pub const MEMORY: usize = 4096;

/// Bytes of a buffer that takes a copy of a frame's memory.
pub const BUFFER: usize = MEMORY + Memory::COPY_HEADER;

/// The server was sent something that it does not know.
pub const NOT_A_FRAME: Status = Status(1);
