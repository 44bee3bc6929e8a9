//! What a volume needs of the blocks under it: the block server's card on a board, a vector of bytes in a test on the
//! host.
#![no_std]
#![forbid(unsafe_code)]

use core::fmt;

/// Bytes of a block.
pub const BLOCK: usize = 512;

/// The device has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the device has failed")
    }
}

impl core::error::Error for Failed {}

/// Blocks of 512 bytes. What is written is where it is kept when the call returns. Whatever ends meanwhile, a block that is
/// written alone is old or new, and of several each byte is.
pub trait Disk {
    /// How many there are.
    fn blocks(&self) -> u32;
    /// Whether they can be written.
    fn is_writable(&self) -> bool;
    /// Reads whole blocks from `first` on.
    ///
    /// # Errors
    /// [`Failed`].
    fn read(&mut self, first: u32, bytes: &mut [u8]) -> Result<(), Failed>;
    /// Writes whole blocks from `first` on.
    ///
    /// # Errors
    /// [`Failed`]: each block is old or new.
    fn write(&mut self, first: u32, bytes: &[u8]) -> Result<(), Failed>;
}

/// Where nothing was ever written so many blocks are zeros, if there are so many. Other volumes, too, begin with some: those of
/// ext with two, those of ISO 9660 with 64, and those of btrfs and UFS with 128.
const BLANK: u32 = 136;
/// Where partitions begin on cards and disks, behind a table that may have been lost.
const PARTITIONS: [u32; 2] = [2048, 8192];

/// Whether nothing was ever written to a disk, as far as its beginning tells, of which the blocks before `from` are known to be
/// zeros, and where partitions begin.
///
/// # Errors
/// [`Failed`].
pub fn is_blank(disk: &mut impl Disk, from: u32) -> Result<bool, Failed> {
    let blocks = disk.blocks();
    let beginning = from..BLANK.min(blocks);
    let partitions = PARTITIONS.into_iter().filter(|n| *n < blocks);
    are_zeros(disk, beginning.chain(partitions))
}

/// Whether nothing but zeros is in some blocks.
///
/// # Errors
/// [`Failed`].
pub fn are_zeros(
    disk: &mut impl Disk,
    blocks: impl IntoIterator<Item = u32>,
) -> Result<bool, Failed> {
    let mut block = [0; BLOCK];
    for n in blocks {
        disk.read(n, &mut block)?;
        if block != [0; BLOCK] {
            return Ok(false);
        }
    }
    Ok(true)
}
