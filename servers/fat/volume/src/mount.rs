//! Where on a disk the volume is, how one is made, and whether its files fit together.

use block_disk::{BLOCK, Disk, Failed, is_blank};
use files_store::Refused;
use hadris_fat::sync::{check, format};
use hadris_fat::{Detail, FatKind, FatOptions};
use hadris_fat_raw::io::sync::{get_copy, read_bytes, read_geometry, read_slot, set, slot_offset};
use hadris_fat_raw::io::{BlockBuf, DirStart, DirWalk, Fat};
use hadris_fat_raw::{ENTRY_SIZE, FIRST_DATA_CLUSTER, Slot};
use hadris_fs::{ErrorKind, Finding, FsResult};

use crate::disk::{Instead, UNFINISHED, Window, Writes};

/// Where the table of partitions begins in the first block.
const PARTITIONS: usize = 446;
/// Bytes of each of its four entries.
const PARTITION: usize = 16;
/// What a partition with FAT says that it is.
const FAT_TYPES: [u8; 6] = [0x01, 0x04, 0x06, 0x0B, 0x0C, 0x0E];
/// At the end of a first block that says anything.
const SIGNATURE: [u8; 2] = [0x55, 0xAA];
/// What a disk held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing: now there is an empty volume, over all of it.
    Nothing,
    /// A volume whose files fit together, or something that was taken for one.
    Volume,
    /// A volume whose files do not, as it was looked at: it is read, and never written.
    Damaged,
    /// A volume that was not all looked at, for there is too much of it.
    Unseen,
}

/// What a mount looks at the files with.
#[derive(Debug)]
pub struct Look<'s> {
    /// At least 1.5 KiB. The larger, the fewer times all directories are read: once for each 8 clusters a byte beyond the
    /// first KiB.
    pub scratch: &'s mut [u8],
    /// How many blocks are read at most.
    pub most: u32,
}

/// A disk that was looked at, and is to be mounted. To look takes more stack than the volume does, and not at one time.
pub struct Looked<D> {
    pub(crate) window: Window<D>,
    pub(crate) held: Held,
}

impl<D: Disk> Looked<D> {
    /// Looks for a volume on a disk, and whether its files fit together. A disk to which nothing was ever written gets one.
    ///
    /// # Errors
    /// [`Refused::Damaged`] if the disk has something else than a volume, or has failed; [`Refused::NoSpace`] if it is too
    /// small for one, [`Refused::ReadOnly`] if it needs one and can't be written.
    pub fn at(disk: D, look: Look) -> Result<Looked<D>, Refused> {
        let (mut window, mut held) = find(disk)?;
        if held == Held::Volume {
            held = check_files(&mut window, look)?;
        }
        Ok(Looked { window, held })
    }

    /// What it held.
    pub fn held(&self) -> Held {
        self.held
    }
}

/// Whether what the tables and the directories say of the files fits together.
fn check_files<D: Disk>(window: &mut Window<D>, with: Look) -> Result<Held, Refused> {
    window.left = Some(with.most);
    let looked = fits(window, with.scratch);
    let mut held = judge(window, looked)?;
    if held == Held::Damaged && window.disk.is_writable() {
        let looked = mend_cut_entry(window, with.scratch);
        if judge(window, looked)? == Held::Volume {
            held = Held::Volume;
        }
    }
    if held == Held::Volume {
        let looked = ends_are_last(window);
        held = judge(window, looked)?;
    }
    window.left = None;
    Ok(held)
}

/// What a look says, which found that things fit together, or that they don't, or came to no end.
fn judge<D>(window: &Window<D>, looked: FsResult<bool, Failed>) -> Result<Held, Refused> {
    match looked {
        Ok(true) => Ok(Held::Volume),
        Err(why) if why.kind() == ErrorKind::Io => Err(Refused::Damaged),
        Err(_) if window.left == Some(0) => Ok(Held::Unseen),
        _ => Ok(Held::Damaged),
    }
}

/// What the driver's own check finds.
fn fits<D: Disk>(window: &mut Window<D>, scratch: &mut [u8]) -> FsResult<bool, Failed> {
    let mut fits = true;
    match check(window, scratch, |found| fits &= is_harmless(found)) {
        Err(why) if fits || why.kind() == ErrorKind::Io => Err(why),
        _ => Ok(fits),
    }
}

fn buffer() -> FsResult<BlockBuf<[u8; BLOCK]>, Failed> {
    BlockBuf::new(BLOCK).ok_or(ErrorKind::Unsupported.into())
}

/// Gives an entry of FAT12 back what the second table has, if all fits together then: whether it does. The driver writes an
/// entry that lies in two blocks in two writes, and to the second table after that: if the power goes between the two, its
/// first part is new, and its second part is not.
#[inline(never)]
fn mend_cut_entry<D: Disk>(window: &mut Window<D>, scratch: &mut [u8]) -> FsResult<bool, Failed> {
    let mut block = buffer()?;
    let mut fat = Fat::new(read_geometry(window, &mut block)?);
    let geometry = *fat.geometry();
    let kind = geometry.kind();
    if kind != FatKind::Fat12 || geometry.fat_count() < 2 {
        return Ok(false);
    }
    for cluster in FIRST_DATA_CLUSTER..=geometry.max_cluster() {
        let at = geometry.fat_copy(0) + kind.entry_offset(cluster.into());
        let (index, byte) = (at / BLOCK as u64, at % BLOCK as u64);
        if byte + 1 < BLOCK as u64 {
            continue;
        }
        let is = get_copy(window, &mut block, &fat, 0, cluster)?;
        let was = get_copy(window, &mut block, &fat, 1, cluster)?;
        let second_part = if cluster % 2 == 0 { 0xF00 } else { 0xFF0 };
        if is == was || (is ^ was) & second_part != 0 {
            continue;
        }
        let mut bytes = [0; 2];
        read_bytes(window, &mut block, at, &mut bytes)?;
        kind.encode(cluster.into(), was, &mut bytes);
        let [last, _] = bytes;
        window.instead = Some(Instead { index, last });
        let fits = fits(window, scratch);
        window.instead = None;
        if fits? {
            set(window, &mut block, &mut fat, cluster, was)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether nothing that could become a file lies behind the end of any directory: the driver looks no further than to the
/// end, and puts new entries over it. All else fits together.
#[inline(never)]
fn ends_are_last<D: Disk>(window: &mut Window<D>) -> FsResult<bool, Failed> {
    let mut block = buffer()?;
    let fat = Fat::new(read_geometry(window, &mut block)?);
    let kind = fat.geometry().kind();
    let mut walk = DirWalk::new(fat.root());
    let (mut slot, mut is_behind_end) = (0, false);
    // The directory that was left last: the one that has it is looked at from there on.
    let mut left = None;
    loop {
        let Some(at) = slot_offset(window, &mut block, &fat, &mut walk, slot)? else {
            let first = match walk.start() {
                DirStart::Chain(first) if walk.start() != fat.root() => first,
                _ => return Ok(true),
            };
            let parent = fat.cluster_at(first)? + ENTRY_SIZE as u64;
            walk = match read_slot(window, &mut block, parent)? {
                Slot::Short(parent) if parent.first_cluster(kind) != 0 => {
                    DirWalk::new(DirStart::Chain(parent.first_cluster(kind)))
                }
                _ => DirWalk::new(fat.root()),
            };
            (slot, is_behind_end, left) = (0, false, Some(first));
            continue;
        };
        slot += 1;
        let entry = match read_slot(window, &mut block, at)? {
            Slot::Short(entry) if entry.is_visible() => entry,
            Slot::End => {
                is_behind_end = true;
                continue;
            }
            _ => continue,
        };
        let first = entry.first_cluster(kind);
        if is_behind_end && first != 0 {
            return Ok(false);
        }
        if !entry.is_dir() || first == 0 {
            continue;
        }
        match left {
            None => {
                walk = DirWalk::new(DirStart::Chain(first));
                slot = 0;
            }
            Some(it) if it == first => left = None,
            Some(_) => {}
        }
    }
}

/// Whether no file can become another one's by it. A power cut leaves such things, and other programs do.
fn is_harmless(found: &Finding<'_>) -> bool {
    match Detail::from_code(found.detail()) {
        Some(Detail::SizeMismatch) => found.message().contains("longer"),
        Some(
            Detail::InvalidCluster
            | Detail::BrokenChain
            | Detail::CyclicChain
            | Detail::CrossLink
            | Detail::BadCluster
            | Detail::DotEntries,
        ) => false,
        _ => true,
    }
}

/// The volume's window: the whole disk, or the first partition that says that it has FAT. A disk to which nothing was ever
/// written gets a volume, and so does one that lost its power while it got one.
fn find<D: Disk>(mut disk: D) -> Result<(Window<D>, Held), Refused> {
    let blocks = disk.blocks();
    let mut block = [0; BLOCK];
    disk.read(0, &mut block).map_err(|_| Refused::Damaged)?;
    let is_unfinished = block == UNFINISHED;
    if is_unfinished || is_blank(&mut disk, 0).map_err(|_| Refused::Damaged)? {
        return make(disk, blocks, is_unfinished).map(|window| (window, Held::Nothing));
    }
    match partition(&block) {
        Some((first, count)) if !is_volume(&block) => {
            let end = first.checked_add(count);
            if first == 0 || end.is_none_or(|end| end > blocks) {
                return Err(Refused::Damaged);
            }
            Ok((window(disk, first, count), Held::Volume))
        }
        _ => Ok((window(disk, 0, blocks), Held::Volume)),
    }
}

/// A volume over the whole disk. What makes it one is written last, to the first block. Where it would be, and its making has
/// not begun, there is nothing else.
fn make<D: Disk>(disk: D, blocks: u32, is_unfinished: bool) -> Result<Window<D>, Refused> {
    if !disk.is_writable() {
        return Err(Refused::ReadOnly);
    }
    let mut window = window(disk, 0, blocks);
    if !is_unfinished {
        window.writes = Writes::Ask { found: false };
        format(&mut window, &options(blocks)).map_err(|why| crate::refused(&why))?;
        if window.writes == (Writes::Ask { found: true }) {
            return Err(Refused::Damaged);
        }
    }
    window.writes = Writes::Make;
    format(&mut window, &options(blocks)).map_err(|why| crate::refused(&why))?;
    window.writes = Writes::Pass;
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

fn window<D>(disk: D, first: u32, blocks: u32) -> Window<D> {
    Window {
        disk,
        first,
        blocks,
        writes: Writes::Pass,
        left: None,
        instead: None,
    }
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
