//! Where a disk lies.

use core::ops::Range;

/// Words that keep what they hold when the server ends.
pub trait Memory {
    /// Bytes of a block of the disk: a power of two, a number of words.
    const BLOCK: usize;
    /// How many there are.
    fn words(&self) -> usize;
    /// The word at a position below that.
    fn load(&self, position: usize) -> u32;
    /// Writes it, in one step and after everything written before.
    fn store(&mut self, position: usize, value: u32);
    /// Writes zeros over these bytes, in any order.
    fn clear(&mut self, bytes: Range<usize>);
}
