//! A number that follows from everything that has happened.

use core::fmt;

/// The FNV-1a hash of 32 bits of what is written into it.
#[derive(Clone, Copy, Debug)]
pub struct Digest(u32);

impl Digest {
    /// Of nothing.
    #[must_use]
    pub const fn new() -> Digest {
        Digest(0x811C_9DC5)
    }

    /// With a number more.
    pub fn add(&mut self, number: u32) {
        number
            .to_le_bytes()
            .into_iter()
            .for_each(|it| self.byte(it));
    }

    /// What it is now.
    #[must_use]
    pub const fn value(&self) -> u32 {
        self.0
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|it| self.byte(it));
        Ok(())
    }
}
