//! From the driver of FAT to blocks.

use block_disk::{BLOCK, Disk, Failed, are_zeros};
use hadris_io::{Error, ErrorKind, ErrorType};
use hadris_storage::sync::BlockDevice;
use hadris_storage::{BlockIndex, BlockSize};

/// The first block of a disk on which a volume is being made, until what makes it one is written there.
pub const UNFINISHED: [u8; BLOCK] = {
    let mut block = [0; BLOCK];
    let (says, _) = block.split_at_mut(SAYS.len());
    says.copy_from_slice(SAYS);
    block
};
const SAYS: &[u8] = b"riposte: a volume is being made here";

/// The part of a disk in which the volume is.
pub struct Window<D> {
    pub disk: D,
    pub first: u32,
    pub blocks: u32,
    /// What becomes of what is written.
    pub writes: Writes,
    /// How many blocks may be read yet, if that is limited.
    pub left: Option<u32>,
    /// What is read instead of what is there.
    pub instead: Option<Instead>,
}

/// Another last byte of a block than is there.
#[derive(Clone, Copy, Debug)]
pub struct Instead {
    /// The block.
    pub index: u64,
    /// Its last byte.
    pub last: u8,
}

/// What becomes of what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// It is written.
    Pass,
    /// A volume is being made: its first block says so instead of nothing.
    Make,
    /// One would be made: nothing is written, and whether nothing was ever written there either is what is asked.
    Ask {
        /// Something is there.
        found: bool,
    },
}

impl<D: Disk> Window<D> {
    /// Where these bytes begin on the disk, if they are all in the window.
    fn place(&self, first: BlockIndex, bytes: usize) -> Result<u32, Error<Failed>> {
        let beyond = Error::new(ErrorKind::InvalidInput, "beyond the volume");
        let first = u32::try_from(first.get()).map_err(|_| beyond)?;
        let count = (bytes / BLOCK) as u32;
        let end = first.checked_add(count);
        match end {
            Some(end) if end <= self.blocks => Ok(self.first + first),
            _ => Err(Error::new(ErrorKind::InvalidInput, "beyond the volume")),
        }
    }

    /// Notes whether something is in these blocks.
    fn ask(&mut self, first: u32, count: u32) -> Result<(), Failed> {
        if !are_zeros(&mut self.disk, first..first + count)? {
            self.writes = Writes::Ask { found: true };
        }
        Ok(())
    }
}

impl<D> ErrorType for Window<D> {
    type Error = Failed;
}

impl<D: Disk> BlockDevice for Window<D> {
    fn block_size(&self) -> BlockSize {
        const SIZE: BlockSize = match BlockSize::new(BLOCK as u32) {
            Some(size) => size,
            None => panic!("a block has bytes"),
        };
        SIZE
    }

    fn block_count(&self) -> u64 {
        self.blocks.into()
    }

    fn disk_offset(&self) -> u64 {
        u64::from(self.first) * BLOCK as u64
    }

    fn writable(&self) -> bool {
        self.disk.is_writable()
    }

    fn read_blocks(&mut self, first: BlockIndex, bytes: &mut [u8]) -> Result<(), Error<Failed>> {
        let place = self.place(first, bytes.len())?;
        if let Some(left) = &mut self.left {
            let rest = left.checked_sub((bytes.len() / BLOCK) as u32);
            *left = rest.unwrap_or(0);
            rest.ok_or(Error::new(ErrorKind::LimitExceeded, "enough was read"))?;
        }
        self.disk
            .read(place, bytes)
            .map_err(|why| Error::device(why, "the device has failed"))?;
        if let Some(Instead { index, last }) = self.instead
            && let Some(place) = index.checked_sub(first.get())
            && let Some(block) = bytes.chunks_exact_mut(BLOCK).nth(place as usize)
            && let Some(byte) = block.last_mut()
        {
            *byte = last;
        }
        Ok(())
    }

    fn write_blocks(&mut self, first: BlockIndex, bytes: &[u8]) -> Result<(), Error<Failed>> {
        let place = self.place(first, bytes.len())?;
        let written = match (self.writes, bytes.split_at_checked(BLOCK)) {
            (Writes::Ask { .. }, _) => self.ask(place, (bytes.len() / BLOCK) as u32),
            (Writes::Make, Some((block, rest))) if place == 0 && *block == [0; BLOCK] => {
                let begun = self.disk.write(0, &UNFINISHED);
                begun.and_then(|()| self.disk.write(1, rest))
            }
            _ => self.disk.write(place, bytes),
        };
        written.map_err(|why| Error::device(why, "the device has failed"))
    }
}
