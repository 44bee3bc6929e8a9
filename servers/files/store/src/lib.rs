//! What the files server keeps: a disk in memory that outlives the server, and who has which file open.
//!
//! Nothing here knows of messages or calls; a client is a number. There is no heap. An operation that is refused has
//! changed nothing, and one that is done is there whole, or not at all, if the server is ended between any two stores:
//! only bytes that are overwritten may be there in part.
//!
//! An operation takes time with the number of entries and the names of its path, with the bytes that it moves, and
//! with the blocks of the file before them: none of it is more than the disk has.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod change;
mod check;
mod disk;
mod layout;
mod memory;
mod open;
mod path;
mod runs;
#[cfg(test)]
mod tests;

pub use disk::{CLIENTS, Kind};
pub use layout::{MAKING, MOST_BLOCKS, MOST_ENTRIES, NAME};
pub use memory::Memory;
pub use open::{Description, Open};
pub use path::PATH;

use core::ops::Range;
use disk::{Disk, Name, Reserved};
use layout::Layout;
use path::Found;
use runs::{Runs, blocks_of};

/// Why something is not done; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is nothing of that name.
    NotFound,
    /// There is something of that name already.
    Exists,
    /// The directory has entries.
    NotEmpty,
    /// It is a directory.
    IsDirectory,
    /// It is a FIFO, whose bytes are not here.
    IsFifo,
    /// It is no directory.
    NotDirectory,
    /// The client has as many blocks, or as many files and directories, as it may.
    NoSpace,
    /// A name, or a path, is too long.
    NameTooLong,
    /// The client has as many open files as it may.
    TooManyOpen,
    /// It is no open file of this client, or not open for that.
    BadFile,
    /// It makes no sense.
    Invalid,
    /// No file of this disk can be so long.
    TooLarge,
    /// The client has left, and what it writes has gone with it.
    Gone,
    /// It is open. Not of this store: of volumes whose files can't live without a name.
    Busy,
    /// The device has failed, or what is on it does not fit together. Not of this store, whose memory cannot fail.
    Damaged,
    /// The device can't be written. Not of this store.
    ReadOnly,
    /// The volume has no such thing. Not of this store.
    NotSupported,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options(pub u32);

impl Options {
    /// To be read.
    pub const READ: Options = Options(1);
    /// To be written.
    pub const WRITE: Options = Options(2);
    /// To be created, if it is not there.
    pub const CREATE: Options = Options(4);
    /// With [`Options::CREATE`]: it must not be there.
    pub const EXCLUSIVE: Options = Options(8);
    /// Its bytes are taken away.
    pub const TRUNCATE: Options = Options(16);
    /// Each write goes to its end.
    pub const APPEND: Options = Options(32);

    /// With these others.
    #[must_use]
    pub const fn and(self, others: Options) -> Options {
        Options(self.0 | others.0)
    }

    /// Whether all of these are there.
    #[must_use]
    pub const fn has(self, others: Options) -> bool {
        self.0 & others.0 == others.0
    }

    /// Whether these can be meant together.
    #[must_use]
    pub const fn make_sense(self) -> bool {
        let writes = self.has(Options::WRITE);
        self.0 < 64
            && (writes || self.has(Options::READ))
            && (writes || !(self.has(Options::TRUNCATE) || self.has(Options::APPEND)))
            && (self.has(Options::CREATE) || !self.has(Options::EXCLUSIVE))
    }
}

/// Names an open file, for its client: a place, and which of those that have been there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File(pub u32);

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// A file, a directory, or a FIFO.
    pub kind: Kind,
    /// Bytes of a file.
    pub size: u32,
    /// Tells it from all others that are there.
    pub entry: u32,
    /// It is there for as long as it is open.
    pub is_removed: bool,
    /// The client for which it counts; 0 where the volume knows of none.
    pub owner: u8,
}

/// From where a position is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    /// The file's beginning.
    Start,
    /// Where it is.
    Current,
    /// The file's end.
    End,
}

/// What a client may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Files open at once.
    pub files: usize,
    /// Files and directories that it has made.
    pub entries: u32,
    /// Blocks that its writes have needed.
    pub blocks: u32,
}

/// What the memory held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// No disk, or one of another shape. [`Store::open`] has made an empty one.
    Nothing,
    /// A disk, which is as it was left.
    Disk,
    /// A disk that did not fit together. [`Store::open`] has made it empty.
    Damaged,
}

/// The memory is too small: so many bytes are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSmall(pub usize);

/// How many blocks of so many bytes a disk with so many entries has in so many words of memory.
///
/// # Errors
/// [`TooSmall`] if there is not room for one.
pub fn capacity(words: usize, entries: usize, block: usize) -> Result<u32, TooSmall> {
    layout(words, entries, block).map(|layout| layout.blocks as u32)
}

/// How many words the largest disk with so many entries has use for.
#[must_use]
pub const fn most_words(entries: usize, block: usize) -> usize {
    Layout::most(entries, block)
}

/// How many bytes lie before the first block of such a disk.
///
/// # Errors
/// [`TooSmall`] if there is not room for one.
pub fn head(words: usize, entries: usize, block: usize) -> Result<usize, TooSmall> {
    layout(words, entries, block).map(|layout| layout.bytes(0))
}

fn layout(words: usize, entries: usize, block: usize) -> Result<Layout, TooSmall> {
    let layout = Layout::new(words, entries, block);
    layout.ok_or(TooSmall(Layout::least(entries, block) * 4))
}

/// A disk, and at most `FILES` open files.
pub struct Store<M, const FILES: usize> {
    disk: Disk<M>,
    open: Open<FILES>,
    shares: [Share; CLIENTS],
}

impl<M: Memory, const FILES: usize> Store<M, FILES> {
    /// The disk of this memory, with so many entries, one of them the root; it is made if there is none that fits
    /// together. What each client may have.
    ///
    /// # Errors
    /// [`TooSmall`] if there is not room for a single block.
    pub fn open(
        memory: M,
        entries: usize,
        shares: [Share; CLIENTS],
    ) -> Result<(Self, Held), TooSmall> {
        let layout = layout(memory.words(), entries, M::BLOCK)?;
        let (disk, held) = match Self::find(memory, layout) {
            Ok(disk) => (disk, Held::Disk),
            Err((memory, held)) => (Disk::format(memory, layout), held),
        };
        Ok((Self::of(disk, shares), held))
    }

    /// As [`Store::open`], of memory that has such a disk: nothing is made.
    ///
    /// # Errors
    /// The memory, and what it holds instead.
    pub fn mount(memory: M, entries: usize, shares: [Share; CLIENTS]) -> Result<Self, (M, Held)> {
        let Ok(layout) = layout(memory.words(), entries, M::BLOCK) else {
            return Err((memory, Held::Nothing));
        };
        let disk = Self::find(memory, layout)?;
        Ok(Self::of(disk, shares))
    }

    fn of(disk: Disk<M>, shares: [Share; CLIENTS]) -> Self {
        Store {
            disk,
            open: Open::new(),
            shares,
        }
    }

    /// The disk that is there, when what was being changed is.
    fn find(memory: M, layout: Layout) -> Result<Disk<M>, (M, Held)> {
        let mut disk = Disk {
            memory,
            layout,
            blocks: [0; CLIENTS],
            entries: [0; CLIENTS],
        };
        match disk.recover() {
            Ok(()) => Ok(disk),
            Err(held) => Err((disk.memory, held)),
        }
    }

    /// As [`Store::mount`], once more, of what its memory holds now: nothing is open any more.
    ///
    /// # Errors
    /// What the memory holds instead. Then nothing but this is of any meaning.
    pub fn remount(&mut self) -> Result<(), Held> {
        self.open.forget();
        self.disk.recover()
    }

    /// Blocks in all.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.disk.layout.blocks as u32
    }

    /// Blocks that are free.
    #[must_use]
    pub fn free_blocks(&self) -> u32 {
        self.disk.free_blocks() as u32
    }

    /// Files and directories that a client has, and its blocks.
    #[must_use]
    pub fn used(&self, client: usize) -> (u32, u32) {
        (self.disk.entries[client], self.disk.blocks[client])
    }

    /// What a client may have.
    #[must_use]
    pub fn share(&self, client: usize) -> Share {
        self.shares[client]
    }

    /// Where the disk lies.
    pub fn memory(&self) -> &M {
        &self.disk.memory
    }

    /// As [`Store::memory`], to be written.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.disk.memory
    }

    /// Opens what a path leads to, for a client: a number for it.
    ///
    /// # Errors
    /// [`Refused::TooManyOpen`], [`Refused::Invalid`], [`Refused::NotFound`], [`Refused::Exists`],
    /// [`Refused::IsDirectory`] if it is to be written, [`Refused::IsFifo`], [`Refused::NotDirectory`],
    /// [`Refused::NameTooLong`], [`Refused::NoSpace`] if it is to be created.
    pub fn open_file(
        &mut self,
        client: usize,
        path: &[u8],
        options: Options,
    ) -> Result<File, Refused> {
        if !options.make_sense() {
            return Err(Refused::Invalid);
        }
        if self
            .open
            .has_room(client, self.shares[client].files)
            .is_err()
        {
            return Err(self.refused_full(path, options));
        }
        let entry = match self.disk.walk(path)? {
            Found::Entry(_) if options.has(Options::CREATE.and(Options::EXCLUSIVE)) => {
                return Err(Refused::Exists);
            }
            Found::Entry(entry) if self.disk.kind(entry) == Some(Kind::Fifo) => {
                return Err(Refused::IsFifo);
            }
            Found::Entry(entry) => {
                let changes = options.0 & (Options::WRITE.0 | Options::CREATE.0) != 0;
                if changes && self.disk.directory(entry).is_ok() {
                    return Err(Refused::IsDirectory);
                }
                if options.has(Options::TRUNCATE) && self.disk.size(entry) > 0 {
                    self.cut(entry, 0);
                }
                entry
            }
            Found::Absent { .. } if !options.has(Options::CREATE) => {
                return Err(Refused::NotFound);
            }
            Found::Absent { slash: true, .. } => return Err(Refused::IsDirectory),
            Found::Absent { parent, name, .. } => {
                self.may_create(client)?;
                self.disk.create(parent, name, Kind::File, client)?
            }
        };
        self.open.open(client, entry, options)
    }

    /// What a client with all its files open is told: a FIFO, which is not opened here, takes none.
    #[cold]
    fn refused_full(&self, path: &[u8], options: Options) -> Refused {
        let is_fifo =
            |found| matches!(found, Found::Entry(it) if self.disk.kind(it) == Some(Kind::Fifo));
        if !options.has(Options::EXCLUSIVE) && self.disk.walk(path).is_ok_and(is_fifo) {
            Refused::IsFifo
        } else {
            Refused::TooManyOpen
        }
    }

    fn may_create(&self, client: usize) -> Result<(), Refused> {
        if self.disk.entries[client] < self.shares[client].entries {
            Ok(())
        } else {
            Err(Refused::NoSpace)
        }
    }

    /// Another number for the same open file: both have one position.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::TooManyOpen`].
    pub fn duplicate(&mut self, client: usize, file: File) -> Result<File, Refused> {
        self.open.get(client, file)?;
        self.open.has_room(client, self.shares[client].files)?;
        self.open.duplicate(client, file)
    }

    /// Closes an open file. One that has been removed goes with the last who had it open.
    ///
    /// # Errors
    /// [`Refused::BadFile`].
    pub fn close(&mut self, client: usize, file: File) -> Result<(), Refused> {
        let entry = self.open.close(client, file)?;
        if self.disk.parent(entry).is_none() && !self.open.is_open(entry) {
            self.disk.remove(entry, false);
        }
        Ok(())
    }

    /// Closes all open files of a client that has ended.
    pub fn leave(&mut self, client: usize) {
        while let Some(file) = self.open.of(client) {
            let _ = self.close(client, file);
        }
    }

    /// Shows `run` where the next bytes of a file lie, as many as it takes, and at most `length`; how many these are.
    /// None at the file's end.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::IsDirectory`].
    pub fn read(
        &mut self,
        client: usize,
        file: File,
        length: usize,
        mut run: impl FnMut(&M, Range<usize>) -> bool,
    ) -> Result<usize, Refused> {
        let open = self.open.get(client, file)?;
        if !open.options.has(Options::READ) {
            return Err(Refused::BadFile);
        }
        if self.disk.kind(open.entry()) != Some(Kind::File) {
            return Err(Refused::IsDirectory);
        }
        let left = self.disk.size(open.entry()).saturating_sub(open.position);
        let length = length.min(left as usize) as u32;
        if length == 0 {
            return Ok(0);
        }
        let bytes = open.position..open.position + length;
        let mut runs = Runs::new(&self.disk, open.entry(), bytes, open.place, None);
        let mut shown = 0;
        while let Some(piece) = runs.next(&self.disk) {
            let count = piece.len();
            if !run(&self.disk.memory, piece) {
                break;
            }
            shown += count;
            open.place = runs.place();
        }
        open.position += shown as u32;
        Ok(shown)
    }

    /// Writes up to `length` bytes: as many as there is room for. `copy` puts those from an offset on to where they
    /// belong, and says whether they were there. How many were written.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::NoSpace`] if there is room for none, [`Refused::TooLarge`], [`Refused::Gone`].
    pub fn write(
        &mut self,
        client: usize,
        file: File,
        length: usize,
        mut copy: impl FnMut(&mut M, usize, Range<usize>) -> bool,
    ) -> Result<usize, Refused> {
        let open = *self.open.get(client, file)?;
        let (entry, known) = (open.entry(), open.place);
        if !open.options.has(Options::WRITE) {
            return Err(Refused::BadFile);
        }
        let size = self.disk.size(entry);
        let start = if open.options.has(Options::APPEND) {
            size
        } else {
            open.position
        };
        if length == 0 {
            return Ok(0);
        }
        let most = self.most(client, entry);
        if start >= most {
            return Err(self.no_room(start));
        }
        let end = start + length.min((most - start) as usize) as u32;
        let more = blocks_of::<M>(end).saturating_sub(blocks_of::<M>(size));
        let new = self.disk.reserve(more, client);
        // What lies between is zero, whatever was there before.
        if size < start {
            self.clear(entry, size..start, new);
        }
        let mut runs = Runs::new(&self.disk, entry, start..end, known, new);
        let mut offset = 0;
        while let Some(piece) = runs.next(&self.disk) {
            let count = piece.len();
            if !copy(&mut self.disk.memory, offset, piece) {
                return Err(Refused::Gone);
            }
            offset += count;
        }
        if end > size {
            self.disk.attach(entry, new, client, end);
        }
        let open = self.open.get(client, file)?;
        open.position = end;
        open.place = runs.place();
        Ok((end - start) as usize)
    }

    /// Where a file would end if the client wrote to it all that it may.
    fn most(&self, client: usize, entry: usize) -> u32 {
        let share = self.shares[client].blocks;
        let left = share.saturating_sub(self.disk.blocks[client]) as usize;
        let left = left.min(self.disk.free_blocks());
        let blocks = blocks_of::<M>(self.disk.size(entry)) + left;
        (blocks * M::BLOCK) as u32
    }

    /// Why there is no room for the byte at this position.
    fn no_room(&self, position: u32) -> Refused {
        if position as usize >= self.disk.layout.blocks * M::BLOCK {
            Refused::TooLarge
        } else {
            Refused::NoSpace
        }
    }

    fn clear(&mut self, entry: usize, bytes: Range<u32>, behind: Option<Reserved>) {
        let mut runs = Runs::new(&self.disk, entry, bytes, None, behind);
        while let Some(piece) = runs.next(&self.disk) {
            self.disk.memory.clear(piece);
        }
    }

    /// Moves the position of a file; where it is now. Behind the end there is nothing to read, and zeros up to there if
    /// something is written. Of a directory, the beginning alone has a position.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::Invalid`] if there is no such position.
    pub fn seek(
        &mut self,
        client: usize,
        file: File,
        offset: i64,
        whence: Whence,
    ) -> Result<u32, Refused> {
        let open = self.open.get(client, file)?;
        let from = match whence {
            Whence::Start => 0,
            Whence::Current => open.position,
            Whence::End => self.disk.size(open.entry()),
        };
        let position = i64::from(from).checked_add(offset);
        let position = position.and_then(|it| u32::try_from(it).ok());
        let position = position.ok_or(Refused::Invalid)?;
        if self.disk.directory(open.entry()).is_ok() && (whence, offset) != (Whence::Start, 0) {
            return Err(Refused::Invalid);
        }
        open.position = position;
        Ok(position)
    }

    /// Leaves a file so many bytes, or adds zeros. Positions stay as they are.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::TooLarge`], [`Refused::NoSpace`].
    pub fn truncate(&mut self, client: usize, file: File, size: u64) -> Result<(), Refused> {
        let open = self.open.get(client, file)?;
        if !open.options.has(Options::WRITE) {
            return Err(Refused::BadFile);
        }
        let entry = open.entry();
        let size = u32::try_from(size).map_err(|_| Refused::TooLarge)?;
        if size <= self.disk.size(entry) {
            self.cut(entry, size);
            return Ok(());
        }
        self.grow(client, entry, size)
    }

    fn grow(&mut self, client: usize, entry: usize, size: u32) -> Result<(), Refused> {
        if size > self.most(client, entry) {
            return Err(self.no_room(size - 1));
        }
        let had = self.disk.size(entry);
        let new = self
            .disk
            .reserve(blocks_of::<M>(size) - blocks_of::<M>(had), client);
        self.clear(entry, had..size, new);
        self.disk.attach(entry, new, client, size);
        Ok(())
    }

    fn cut(&mut self, entry: usize, size: u32) {
        let last = size.checked_sub(1).and_then(|last| {
            let runs = Runs::new(&self.disk, entry, last..size, None, None);
            runs.block()
        });
        self.disk.cut(entry, last, size);
        self.open.forget_places(entry);
    }

    /// What an open file is.
    ///
    /// # Errors
    /// [`Refused::BadFile`].
    pub fn stat(&mut self, client: usize, file: File) -> Result<Stat, Refused> {
        let entry = self.open.get(client, file)?.entry();
        self.stat_of(entry)
    }

    /// What a path leads to.
    ///
    /// # Errors
    /// [`Refused::NotFound`], [`Refused::NotDirectory`], [`Refused::NameTooLong`], [`Refused::Invalid`].
    pub fn stat_path(&self, path: &[u8]) -> Result<Stat, Refused> {
        let entry = self.disk.walk(path)?.entry()?;
        self.stat_of(entry)
    }

    fn stat_of(&self, entry: usize) -> Result<Stat, Refused> {
        Ok(Stat {
            kind: self.disk.kind(entry).ok_or(Refused::BadFile)?,
            size: self.disk.size(entry),
            entry: entry as u32,
            is_removed: self.disk.parent(entry).is_none(),
            owner: self.disk.owner(entry) as u8,
        })
    }

    /// The next entry of an open directory, and the length of its name, which is put into `name`; none at the end. Each
    /// one that is there all the time is shown once, whatever comes and goes meanwhile.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::NotDirectory`].
    pub fn list(
        &mut self,
        client: usize,
        file: File,
        name: &mut [u8; NAME],
    ) -> Result<Option<(Stat, usize)>, Refused> {
        let open = self.open.get(client, file)?;
        self.disk.directory(open.entry())?;
        let found = self.disk.next_in(open.entry(), open.position as usize);
        let Some(entry) = found else {
            return Ok(None);
        };
        open.position = entry as u32 + 1;
        let (bytes, length) = self.disk.name(entry).bytes();
        *name = bytes;
        Ok(Some((self.stat_of(entry)?, length)))
    }

    /// Makes an empty directory.
    ///
    /// # Errors
    /// [`Refused::Exists`], [`Refused::NoSpace`]; and as [`Store::stat_path`].
    pub fn make_directory(&mut self, client: usize, path: &[u8]) -> Result<(), Refused> {
        match self.disk.walk(path)? {
            Found::Entry(_) => Err(Refused::Exists),
            Found::Absent { parent, name, .. } => {
                self.may_create(client)?;
                let made = self.disk.create(parent, name, Kind::Directory, client);
                made.map(drop)
            }
        }
    }

    /// Makes a FIFO: a name for a pipe, which is not here. Returns what tells it from all others that are there, as
    /// [`Stat::entry`].
    ///
    /// # Errors
    /// [`Refused::Exists`], [`Refused::NoSpace`]; and as [`Store::stat_path`].
    pub fn make_fifo(&mut self, client: usize, path: &[u8]) -> Result<u32, Refused> {
        match self.disk.walk(path)? {
            Found::Entry(_) => Err(Refused::Exists),
            Found::Absent { slash: true, .. } => Err(Refused::NotFound),
            Found::Absent { parent, name, .. } => {
                self.may_create(client)?;
                let made = self.disk.create(parent, name, Kind::Fifo, client)?;
                Ok(made as u32)
            }
        }
    }

    /// Removes a file, a FIFO, or an empty directory. A file that is open loses its name, and goes with the last who has it
    /// open.
    ///
    /// # Errors
    /// [`Refused::NotEmpty`], [`Refused::Invalid`] for the root, and for a path that ends in `.` or `..`; and as
    /// [`Store::stat_path`].
    pub fn remove(&mut self, path: &[u8]) -> Result<(), Refused> {
        let entry = self.disk.walk_to_name(path)?.entry()?;
        self.is_empty(entry)?;
        self.disk.remove(entry, self.open.is_open(entry));
        Ok(())
    }

    /// Refuses a directory with entries.
    fn is_empty(&self, entry: usize) -> Result<(), Refused> {
        match self.disk.next_in(entry, 0) {
            Some(_) => Err(Refused::NotEmpty),
            None => Ok(()),
        }
    }

    /// Gives a file or a directory another name, perhaps in another directory, at one instant. What had that name is
    /// removed: a file by a file, an empty directory by a directory.
    ///
    /// # Errors
    /// [`Refused::IsDirectory`] and [`Refused::NotDirectory`] if one is a directory and the other is none,
    /// [`Refused::NotEmpty`], [`Refused::Invalid`] for the root, for a path that ends in `.` or `..`, and for a directory
    /// that would be in itself; and as [`Store::stat_path`].
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Refused> {
        let entry = self.disk.walk_to_name(from)?.entry()?;
        let is_directory = self.disk.directory(entry).is_ok();
        let (parent, name, replaced) = match self.disk.walk_to_name(to)? {
            Found::Entry(other) if other == entry => return Ok(()),
            Found::Entry(other) => {
                match (is_directory, self.disk.directory(other).is_ok()) {
                    (true, false) => return Err(Refused::NotDirectory),
                    (false, true) => return Err(Refused::IsDirectory),
                    _ => {}
                }
                let parent = self.disk.parent(other).ok_or(Refused::Invalid)?;
                if self.disk.is_within(other, entry) {
                    return Err(Refused::Invalid);
                }
                self.is_empty(other)?;
                let is_open = self.open.is_open(other);
                (parent, None, Some((other, is_open)))
            }
            Found::Absent { slash: true, .. } if !is_directory => {
                return Err(Refused::NotDirectory);
            }
            Found::Absent { parent, name, .. } => {
                if self.disk.is_within(parent, entry) {
                    return Err(Refused::Invalid);
                }
                (parent, Some(name), None)
            }
        };
        let name = match (name, replaced) {
            (Some(name), _) => Name::new(name)?,
            (None, Some((other, _))) => self.disk.name(other),
            (None, None) => return Ok(()),
        };
        self.disk.rename(entry, parent, name, replaced);
        Ok(())
    }
}
