//! Where on a disk the volume is, and how one is made.

use block_disk::{BLOCK, Disk};
use files_store::Refused;
use hadris_fat::FatOptions;
use hadris_fat::sync::format;

use crate::disk::{UNFINISHED, Window};

/// Where the table of partitions begins in the first block.
const PARTITIONS: usize = 446;
/// Bytes of each of its four entries.
const PARTITION: usize = 16;
/// What a partition with FAT says that it is.
const FAT_TYPES: [u8; 6] = [0x01, 0x04, 0x06, 0x0B, 0x0C, 0x0E];
/// At the end of a first block that says anything.
const SIGNATURE: [u8; 2] = [0x55, 0xAA];
/// How many blocks of zeros say that nothing was ever written to a card: as many as a volume's head has, with the first
/// blocks of its table.
const BLANK: u32 = 8;

/// What a disk held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing: now there is an empty volume, over all of it.
    Nothing,
    /// A volume, or something that was taken for one.
    Volume,
}

/// The volume's window: the whole disk, or the first partition that says that it has FAT. A disk of zeros gets a volume, and
/// so does one that lost its power while it got one.
pub(crate) fn find<D: Disk>(mut disk: D) -> Result<(Window<D>, Held), Refused> {
    let blocks = disk.blocks();
    let mut block = [0; BLOCK];
    disk.read(0, &mut block).map_err(|_| Refused::Damaged)?;
    if block == UNFINISHED || is_blank(&mut disk, blocks)? {
        return make(disk, blocks).map(|window| (window, Held::Nothing));
    }
    match partition(&block) {
        Some((first, count)) if !is_volume(&block) => {
            let end = first.checked_add(count);
            if first == 0 || end.is_none_or(|end| end > blocks) {
                return Err(Refused::Damaged);
            }
            let window = Window {
                disk,
                first,
                blocks: count,
                unfinished: false,
            };
            Ok((window, Held::Volume))
        }
        _ => Ok((whole(disk, blocks), Held::Volume)),
    }
}

/// A volume over the whole disk. What makes it one is written last, to the first block.
fn make<D: Disk>(disk: D, blocks: u32) -> Result<Window<D>, Refused> {
    if !disk.is_writable() {
        return Err(Refused::ReadOnly);
    }
    let mut window = whole(disk, blocks);
    window.unfinished = true;
    format(&mut window, &options(blocks)).map_err(|why| crate::refused(&why))?;
    window.unfinished = false;
    Ok(window)
}

/// What a volume is to be like. A file is read and written the faster, the fewer clusters it has, and wastes half of one:
/// those of a card of a megabyte or more are made larger than is usual, as they are on larger ones.
const fn options(blocks: u32) -> FatOptions {
    match blocks {
        1024..16_384 => FatOptions::new().with_cluster_size(4096),
        _ => FatOptions::new(),
    }
}

fn whole<D>(disk: D, blocks: u32) -> Window<D> {
    Window {
        disk,
        first: 0,
        blocks,
        unfinished: false,
    }
}

fn is_blank<D: Disk>(disk: &mut D, blocks: u32) -> Result<bool, Refused> {
    let mut block = [0; BLOCK];
    for n in 0..BLANK.min(blocks) {
        disk.read(n, &mut block).map_err(|_| Refused::Damaged)?;
        if block.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a block is the first one of a volume, and not a table of partitions: it has a jump there.
fn is_volume(block: &[u8; BLOCK]) -> bool {
    let bytes_of_block = u16::from_le_bytes([block[11], block[12]]);
    matches!(block[0], 0xEB | 0xE9) && matches!(bytes_of_block, 512 | 1024 | 2048 | 4096)
}

/// The first partition with FAT: its first block, and how many it has.
fn partition(block: &[u8; BLOCK]) -> Option<(u32, u32)> {
    if !block.ends_with(&SIGNATURE) {
        return None;
    }
    let entries = block.get(PARTITIONS..)?.chunks_exact(PARTITION);
    let entry = entries
        .take(4)
        .find(|entry| FAT_TYPES.contains(&entry[4]))?;
    let (_, place) = entry.split_at(8);
    let (words, _) = place.as_chunks::<4>();
    let [first, count] = *words else {
        return None;
    };
    Some((u32::from_le_bytes(first), u32::from_le_bytes(count)))
}
