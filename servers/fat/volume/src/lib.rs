//! A FAT volume, and who has which of its files open.
//!
//! FAT itself (12, 16 and 32, with long names) is the crate `hadris-fat`'s; here are paths, and what POSIX says of open
//! files. Nothing here knows of messages or calls; a client is a number. There is no heap.
//!
//! What FAT cannot do is refused: to remove, or to replace, what is open is [`Refused::Busy`].
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod disk;
mod mount;
mod path;

pub use mount::{Held, Look, Looked};

use core::ops::ControlFlow;

use block_disk::Disk;
use files_store::{CLIENTS, File, Kind, NAME, Open, Options, Refused, Stat, Whence};
use hadris_fat::embedded::sync::Fat;
use hadris_fat::embedded::{self, Dir, Entry, MountToken};
use hadris_fs::{DirCursor, Error, ErrorKind, FileType, FsResult, Metadata, OpenOptions, SeekFrom};

use disk::Window;
use path::{Found, walk};

/// Keeps apart what is open of this volume and of others.
#[derive(Debug, Default)]
pub struct Mount(MountToken);

impl Mount {
    /// Of no volume yet.
    #[must_use]
    pub const fn new() -> Mount {
        Mount(MountToken::new())
    }
}

/// What can be open.
enum What<'m> {
    File(embedded::File<'m>),
    Directory(Dir),
}

/// How much there is of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Bytes of a cluster: what a file takes is a number of them.
    pub cluster: u32,
    /// Clusters in all.
    pub clusters: u32,
    /// Clusters that are free.
    pub free: u32,
}

/// A volume, and at most `FILES` open files.
pub struct FatVolume<'m, D: Disk, const FILES: usize> {
    fat: Fat<'m, Window<D>, FILES>,
    open: Open<FILES>,
    /// What the entries of `open` are.
    opened: [Option<What<'m>>; FILES],
    /// How many of them are to be written.
    writers: usize,
    met: Met,
    /// The place of a file that was being emptied as the disk failed: it may be empty there, and is not to the driver. Nothing
    /// is written before it is emptied again.
    emptied: Option<usize>,
    /// How many each client may have open.
    files: [usize; CLIENTS],
}

/// What the driver of FAT has met.
struct Met {
    /// The disk has failed amid a change, or a file could not be closed: the driver undoes or finishes it when it writes
    /// again, and not in what was opened meanwhile.
    is_unsettled: bool,
    /// Files do not fit together: what is written to one could become another's.
    is_damaged: bool,
}

/// Why the driver of FAT has not done it.
pub(crate) fn refused<E>(why: &Error<E>) -> Refused {
    match why.kind() {
        ErrorKind::NotFound => Refused::NotFound,
        ErrorKind::AlreadyExists => Refused::Exists,
        ErrorKind::NotADirectory => Refused::NotDirectory,
        ErrorKind::IsADirectory => Refused::IsDirectory,
        ErrorKind::DirectoryNotEmpty => Refused::NotEmpty,
        ErrorKind::NoSpace => Refused::NoSpace,
        ErrorKind::ReadOnly => Refused::ReadOnly,
        ErrorKind::InvalidInput => Refused::Invalid,
        ErrorKind::Unsupported => Refused::NotSupported,
        ErrorKind::LimitExceeded => Refused::TooManyOpen,
        ErrorKind::NameTooLong => Refused::NameTooLong,
        ErrorKind::FileTooLarge => Refused::TooLarge,
        ErrorKind::Busy => Refused::Busy,
        _ => Refused::Damaged,
    }
}

/// What came of a call of the driver.
fn done<T, E>(result: FsResult<T, E>) -> Result<T, Refused> {
    result.map_err(|why| refused(&why))
}

/// As [`done`], of one that writes: whether that has met what does not fit together, or a disk that fails, is noted.
fn wrote<T, E>(met: &mut Met, result: FsResult<T, E>) -> Result<T, Refused> {
    let kind = result.as_ref().err().map(Error::kind);
    met.is_damaged |= kind == Some(ErrorKind::Corrupt);
    met.is_unsettled |= kind == Some(ErrorKind::Io);
    done(result)
}

impl<'m, D: Disk, const FILES: usize> FatVolume<'m, D, FILES> {
    /// The volume that was found, for clients that may have so many files open. One whose files do not fit together is read,
    /// and never written.
    ///
    /// # Errors
    /// [`Refused::Damaged`] if it is none, or the disk has failed.
    pub fn mount(
        looked: Looked<D>,
        mount: &'m mut Mount,
        files: [usize; CLIENTS],
    ) -> Result<Self, Refused> {
        let is_damaged = looked.held == Held::Damaged;
        let fat = Fat::mount(looked.window, &mut mount.0).map_err(|_| Refused::Damaged)?;
        Ok(FatVolume {
            fat,
            open: Open::new(),
            opened: [const { None }; FILES],
            writers: 0,
            met: Met {
                is_unsettled: false,
                is_damaged,
            },
            emptied: None,
            files,
        })
    }

    /// What a failure of the disk has cut short is undone or finished before anything else is opened or changed.
    fn settle_failure(&mut self) -> Result<(), Refused> {
        match self.met.is_unsettled {
            true => self.settle(),
            false => Ok(()),
        }
    }

    fn is_writable(&mut self) -> Result<(), Refused> {
        self.settle_failure()?;
        match self.met.is_damaged {
            true => Err(Refused::ReadOnly),
            false => Ok(()),
        }
    }

    /// Opens what a path leads to, for a client: a number for it.
    ///
    /// # Errors
    /// As POSIX has it; [`Refused::ReadOnly`] for a file that FAT says is read-only, and on a damaged volume.
    pub fn open_file(
        &mut self,
        client: usize,
        path: &[u8],
        options: Options,
    ) -> Result<File, Refused> {
        if !options.make_sense() {
            return Err(Refused::Invalid);
        }
        if options.has(Options::WRITE) || options.has(Options::CREATE) {
            self.is_writable()?;
        }
        self.open.has_room(client, self.files[client])?;
        self.settle_failure()?;
        let what = match walk(&mut self.fat, path)? {
            Found::Directory(_) if options.has(Options::CREATE.and(Options::EXCLUSIVE)) => {
                return Err(Refused::Exists);
            }
            Found::Directory(_) if options.has(Options::WRITE) || options.has(Options::CREATE) => {
                return Err(Refused::IsDirectory);
            }
            Found::Directory(directory) => What::Directory(directory),
            Found::Name {
                parent,
                name,
                slash,
            } => self.open_named(parent, name, slash, options)?,
        };
        let place = self.opened.iter().position(Option::is_none);
        let place = place.ok_or(Refused::TooManyOpen)?;
        self.opened[place] = Some(what);
        if options.has(Options::TRUNCATE)
            && let Err(why) = self.set_length(place, 0)
        {
            let _ = self.release(place);
            return Err(why);
        }
        if options.has(Options::WRITE) {
            self.writers += 1;
        }
        let file = self.open.open(client, place, options)?;
        if let Err(why) = self.settle() {
            // Nobody gets its number.
            let _ = self.close(client, file);
            return Err(why);
        }
        Ok(file)
    }

    fn open_named(
        &mut self,
        parent: Dir,
        name: &str,
        slash: bool,
        options: Options,
    ) -> Result<What<'m>, Refused> {
        match self.fat.metadata(parent, name) {
            Ok(_) if options.has(Options::CREATE.and(Options::EXCLUSIVE)) => {
                return Err(Refused::Exists);
            }
            Ok(found) if found.file_type() == FileType::Dir => {
                if options.has(Options::WRITE) || options.has(Options::CREATE) {
                    return Err(Refused::IsDirectory);
                }
                return done(self.fat.open_dir(parent, name)).map(What::Directory);
            }
            Ok(_) if slash => return Err(Refused::NotDirectory),
            Ok(found) if options.has(Options::WRITE) && is_read_only(&found) => {
                return Err(Refused::ReadOnly);
            }
            Ok(_) => {}
            Err(why) if why.kind() == ErrorKind::NotFound && options.has(Options::CREATE) => {
                if slash {
                    return Err(Refused::IsDirectory);
                }
            }
            Err(why) => return Err(refused(&why)),
        }
        let mut how = OpenOptions::new().read();
        if options.has(Options::WRITE) {
            how = how.write();
        }
        if options.has(Options::CREATE) {
            how = how.write().create();
        }
        wrote(&mut self.met, self.fat.open(parent, name, how)).map(What::File)
    }

    /// Another number for the same open file: both have one position.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::TooManyOpen`].
    pub fn duplicate(&mut self, client: usize, file: File) -> Result<File, Refused> {
        self.open.get(client, file)?;
        self.open.has_room(client, self.files[client])?;
        self.open.duplicate(client, file)
    }

    /// Closes an open file: what was written of it is where it is kept then.
    ///
    /// # Errors
    /// [`Refused::BadFile`]; [`Refused::Damaged`] if its size could not be written.
    pub fn close(&mut self, client: usize, file: File) -> Result<(), Refused> {
        let writes = self.open.get(client, file)?.options.has(Options::WRITE);
        let place = self.open.close(client, file)?;
        if self.open.is_open(place) {
            return Ok(());
        }
        if writes {
            self.writers -= 1;
        }
        let closed = self.release(place);
        self.settle()?;
        closed
    }

    /// Closes what nobody has open any more. What is to be emptied again is closed then.
    fn release(&mut self, place: usize) -> Result<(), Refused> {
        if self.emptied == Some(place) {
            return Ok(());
        }
        let closed = match self.opened.get_mut(place).and_then(Option::take) {
            Some(What::File(file)) => wrote(&mut self.met, self.fat.close(file)),
            _ => Ok(()),
        };
        // What could not be closed is the driver's until it has written all, whoever writes.
        self.met.is_unsettled |= closed.is_err();
        closed
    }

    fn set_length(&mut self, place: usize, size: u64) -> Result<(), Refused> {
        let Some(Some(What::File(handle))) = self.opened.get(place) else {
            return Err(Refused::BadFile);
        };
        let set = wrote(&mut self.met, self.fat.set_len(handle, size));
        if set.is_err() && size == 0 && self.met.is_unsettled {
            self.emptied = Some(place);
        }
        set
    }

    /// Empties a file again.
    fn empty(&mut self, place: usize) -> Result<(), Refused> {
        if let Some(Some(What::File(handle))) = self.opened.get(place) {
            let set = self.fat.set_len(handle, 0);
            // Of one that was empty on the disk the clusters are free: the driver finds no chain.
            if done(self.fat.seek(handle, SeekFrom::End(0)))? > 0 {
                wrote(&mut self.met, set)?;
            }
        }
        self.emptied = None;
        if !self.open.is_open(place) {
            self.release(place)?;
        }
        Ok(())
    }

    /// Closes all open files of a client that has ended.
    pub fn leave(&mut self, client: usize) {
        while let Some(file) = self.open.of(client) {
            let _ = self.close(client, file);
        }
    }

    /// When nobody writes any more, the volume says that it is whole; a damaged one does not.
    fn settle(&mut self) -> Result<(), Refused> {
        let is_whole = !self.fat.is_read_only() && !self.met.is_damaged;
        if !is_whole || self.writers > 0 && !self.met.is_unsettled {
            return Ok(());
        }
        self.settle_all()
    }

    /// All that was written is where it is kept.
    fn settle_all(&mut self) -> Result<(), Refused> {
        if let Some(place) = self.emptied {
            self.empty(place)?;
        }
        wrote(&mut self.met, self.fat.sync())?;
        self.met.is_unsettled = false;
        Ok(())
    }

    /// Reads the next bytes of a file, as many as there are and `to` has; how many. 0 at the end.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::IsDirectory`], [`Refused::Damaged`].
    pub fn read(&mut self, client: usize, file: File, to: &mut [u8]) -> Result<usize, Refused> {
        let open = *self.open.get(client, file)?;
        if !open.options.has(Options::READ) {
            return Err(Refused::BadFile);
        }
        let handle = match self.opened.get(open.entry()) {
            Some(Some(What::File(handle))) => handle,
            Some(Some(What::Directory(_))) => return Err(Refused::IsDirectory),
            _ => return Err(Refused::BadFile),
        };
        let position = SeekFrom::Start(open.position.into());
        done(self.fat.seek(handle, position))?;
        let count = done(self.fat.read(handle, to))?;
        self.open.get(client, file)?.position += count as u32;
        Ok(count)
    }

    /// Writes bytes: all, or as many as there is room for; how many.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::NoSpace`] if there is room for none, [`Refused::TooLarge`],
    /// [`Refused::Damaged`], and [`Refused::ReadOnly`] if the volume is damaged.
    pub fn write(&mut self, client: usize, file: File, bytes: &[u8]) -> Result<usize, Refused> {
        let open = *self.open.get(client, file)?;
        if !open.options.has(Options::WRITE) {
            return Err(Refused::BadFile);
        }
        self.is_writable()?;
        let Some(Some(What::File(handle))) = self.opened.get(open.entry()) else {
            return Err(Refused::BadFile);
        };
        if bytes.is_empty() {
            return Ok(0);
        }
        let to = if open.options.has(Options::APPEND) {
            SeekFrom::End(0)
        } else {
            SeekFrom::Start(open.position.into())
        };
        let start = done(self.fat.seek(handle, to))?;
        let written = match self.fat.write(handle, bytes) {
            Err(why) if why.kind() == ErrorKind::NoSpace => {
                let size = done(self.fat.seek(handle, SeekFrom::End(0)))?;
                let most = room(&mut self.fat, size)?.saturating_sub(start);
                done(self.fat.seek(handle, SeekFrom::Start(start)))?;
                let rest = bytes.get(..bytes.len().min(most as usize));
                match rest {
                    Some(rest) if !rest.is_empty() => {
                        wrote(&mut self.met, self.fat.write(handle, rest))?
                    }
                    _ => return Err(Refused::NoSpace),
                }
            }
            written => wrote(&mut self.met, written)?,
        };
        self.open.get(client, file)?.position = (start + written as u64) as u32;
        Ok(written)
    }

    /// Moves the position of a file; where it is now.
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
        let open = *self.open.get(client, file)?;
        let from = match (self.opened.get(open.entry()), whence) {
            (Some(Some(What::Directory(_))), Whence::Start) if offset == 0 => 0,
            (Some(Some(What::File(_))), Whence::Start) => 0,
            (Some(Some(What::File(_))), Whence::Current) => i64::from(open.position),
            (Some(Some(What::File(handle))), Whence::End) => {
                done(self.fat.seek(handle, SeekFrom::End(0)))? as i64
            }
            _ => return Err(Refused::Invalid),
        };
        let position = from.checked_add(offset);
        let position = position.and_then(|it| u32::try_from(it).ok());
        let position = position.ok_or(Refused::Invalid)?;
        self.open.get(client, file)?.position = position;
        Ok(position)
    }

    /// Leaves a file so many bytes, or adds zeros. Positions stay as they are.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::TooLarge`], [`Refused::NoSpace`], [`Refused::Damaged`], [`Refused::ReadOnly`].
    pub fn truncate(&mut self, client: usize, file: File, size: u64) -> Result<(), Refused> {
        let open = *self.open.get(client, file)?;
        if !open.options.has(Options::WRITE) {
            return Err(Refused::BadFile);
        }
        self.is_writable()?;
        self.set_length(open.entry(), size)
    }

    /// Returns when all that was written, of this file and others, is where it is kept.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::Damaged`].
    pub fn sync(&mut self, client: usize, file: File) -> Result<(), Refused> {
        let place = self.open.get(client, file)?.entry();
        if self.fat.is_read_only() {
            return Ok(());
        }
        if self.met.is_damaged {
            // It does not say that the volume is whole.
            return match self.opened.get(place) {
                Some(Some(What::File(handle))) => done(self.fat.flush(handle)),
                _ => Ok(()),
            };
        }
        self.settle_all()
    }

    /// What an open file is.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::Damaged`].
    pub fn stat(&mut self, client: usize, file: File) -> Result<Stat, Refused> {
        let place = self.open.get(client, file)?.entry();
        match self.opened.get(place) {
            Some(Some(What::File(handle))) => {
                let size = done(self.fat.seek(handle, SeekFrom::End(0)))?;
                Ok(stat(Kind::File, size))
            }
            Some(Some(What::Directory(_))) => Ok(stat(Kind::Directory, 0)),
            _ => Err(Refused::BadFile),
        }
    }

    /// What a path leads to.
    ///
    /// # Errors
    /// [`Refused::NotFound`], [`Refused::NotDirectory`], [`Refused::NameTooLong`], [`Refused::Invalid`],
    /// [`Refused::Damaged`].
    pub fn stat_path(&mut self, path: &[u8]) -> Result<Stat, Refused> {
        match walk(&mut self.fat, path)? {
            Found::Directory(_) => Ok(stat(Kind::Directory, 0)),
            Found::Name {
                parent,
                name,
                slash,
            } => {
                let found = done(self.fat.metadata(parent, name))?;
                match found.file_type() {
                    FileType::Dir => Ok(stat(Kind::Directory, 0)),
                    _ if slash => Err(Refused::NotDirectory),
                    _ => Ok(stat(Kind::File, found.len())),
                }
            }
        }
    }

    /// The next entry of an open directory, and the length of its name, which is put into `name`; none at the end. A name
    /// that is too long is shown as FAT's short one, by which it can be opened, too; so is one that is no name, and not at
    /// all if that is none either.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::NotDirectory`], [`Refused::Damaged`].
    pub fn list(
        &mut self,
        client: usize,
        file: File,
        name: &mut [u8; NAME],
    ) -> Result<Option<(Stat, usize)>, Refused> {
        let open = *self.open.get(client, file)?;
        let directory = match self.opened.get(open.entry()) {
            Some(Some(What::Directory(directory))) => *directory,
            Some(Some(What::File(_))) => return Err(Refused::NotDirectory),
            _ => return Err(Refused::BadFile),
        };
        let mut found = None;
        let from = DirCursor::from_raw(open.position.into());
        done(self.fat.list(directory, from, |entry| {
            let kind = if entry.is_dir() {
                Kind::Directory
            } else {
                Kind::File
            };
            let Some(length) = put_name(entry, name) else {
                return ControlFlow::Continue(());
            };
            let next = entry.next_cursor().into_raw() as u32;
            found = Some((stat(kind, entry.len()), length, next));
            ControlFlow::Break(())
        }))?;
        let Some((stat, length, next)) = found else {
            return Ok(None);
        };
        self.open.get(client, file)?.position = next;
        Ok(Some((stat, length)))
    }

    /// Makes an empty directory.
    ///
    /// # Errors
    /// [`Refused::Exists`], [`Refused::NoSpace`], [`Refused::ReadOnly`] if the volume is damaged; and as
    /// [`FatVolume::stat_path`].
    pub fn make_directory(&mut self, path: &[u8]) -> Result<(), Refused> {
        let Found::Name { parent, name, .. } = walk(&mut self.fat, path)? else {
            return Err(Refused::Exists);
        };
        self.is_writable()?;
        let made = self.fat.create_dir(parent, name).map(drop);
        let made = wrote(&mut self.met, made);
        self.settle()?;
        made
    }

    /// Removes a file, or an empty directory.
    ///
    /// # Errors
    /// [`Refused::Busy`] for what is open, [`Refused::NotEmpty`], [`Refused::Invalid`] for the root, [`Refused::ReadOnly`] if
    /// the volume is damaged; and as [`FatVolume::stat_path`].
    pub fn remove(&mut self, path: &[u8]) -> Result<(), Refused> {
        let Found::Name {
            parent,
            name,
            slash,
        } = walk(&mut self.fat, path)?
        else {
            return Err(Refused::Invalid);
        };
        let found = done(self.fat.metadata(parent, name))?;
        self.is_writable()?;
        let removed = match found.file_type() {
            FileType::Dir => {
                let directory = done(self.fat.open_dir(parent, name))?;
                self.is_not_open(directory)?;
                wrote(&mut self.met, self.fat.remove_dir(parent, name))
            }
            _ if slash => Err(Refused::NotDirectory),
            _ => wrote(&mut self.met, self.fat.remove_file(parent, name)),
        };
        self.settle()?;
        removed
    }

    /// An open directory stays the one that it was: FAT would give its place to another one.
    fn is_not_open(&self, directory: Dir) -> Result<(), Refused> {
        let mut open = self.opened.iter().flatten();
        match open.any(|it| matches!(it, What::Directory(open) if *open == directory)) {
            true => Err(Refused::Busy),
            false => Ok(()),
        }
    }

    /// Gives a file or a directory another name, perhaps in another directory. What had that name is removed: a file by
    /// a file, an empty directory by a directory.
    ///
    /// # Errors
    /// [`Refused::Busy`] if what had the name is open, [`Refused::IsDirectory`] and [`Refused::NotDirectory`] if one is a
    /// directory and the other is none, [`Refused::NotEmpty`], [`Refused::Invalid`] for the root and for a directory that
    /// would be in itself, [`Refused::NoSpace`], [`Refused::ReadOnly`] if the volume is damaged; and as
    /// [`FatVolume::stat_path`].
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Refused> {
        let Found::Name {
            parent: from_parent,
            name: from,
            slash: from_slash,
        } = walk(&mut self.fat, from)?
        else {
            return Err(Refused::Invalid);
        };
        let found = done(self.fat.metadata(from_parent, from))?;
        let Found::Name {
            parent,
            name,
            slash,
        } = walk(&mut self.fat, to)?
        else {
            return Err(Refused::Invalid);
        };
        if (slash || from_slash) && found.file_type() != FileType::Dir {
            return Err(Refused::NotDirectory);
        }
        self.is_writable()?;
        if found.file_type() == FileType::Dir && from_parent != parent {
            // It will be told that it is in another one: that must be possible before it is named there.
            let moved = done(self.fat.open_dir(from_parent, from))?;
            done(self.fat.open_dir(moved, ".."))?;
        }
        if found.file_type() == FileType::Dir
            && let Ok(replaced) = self.fat.open_dir(parent, name)
            && done(self.fat.open_dir(from_parent, from))? != replaced
        {
            self.is_not_open(replaced)?;
        }
        let renamed = match self.fat.rename(from_parent, from, parent, name) {
            // No path is as deep: it is a circle.
            Err(why) if why.kind() == ErrorKind::LimitExceeded => Err(Refused::Damaged),
            renamed => wrote(&mut self.met, renamed),
        };
        self.settle()?;
        renamed
    }

    /// How much there is. The first time it takes time with the size of the volume.
    ///
    /// # Errors
    /// [`Refused::Damaged`].
    pub fn space(&mut self) -> Result<Space, Refused> {
        let stats = done(self.fat.stats())?;
        Ok(Space {
            cluster: stats.block_size(),
            clusters: stats.total_blocks() as u32,
            free: stats.free_blocks() as u32,
        })
    }
}

/// Where a file of so many bytes would end if it had all clusters that are free.
fn room<D: Disk, const FILES: usize>(
    fat: &mut Fat<'_, Window<D>, FILES>,
    size: u64,
) -> Result<u64, Refused> {
    let stats = done(fat.stats())?;
    let cluster = u64::from(stats.block_size());
    Ok(size.next_multiple_of(cluster) + stats.free_blocks() * cluster)
}

/// Whether FAT says that a file is not to be written.
fn is_read_only(found: &Metadata) -> bool {
    found.permissions().bits() & 0o222 == 0
}

fn stat(kind: Kind, size: u64) -> Stat {
    Stat {
        kind,
        size: size as u32,
        // FAT has no numbers for its files, and none that is open is removed.
        entry: 0,
        is_removed: false,
        owner: 0,
    }
}

/// Puts the name of an entry into `to`; its length. `None` if it has none.
fn put_name(entry: &Entry<'_, '_>, to: &mut [u8; NAME]) -> Option<usize> {
    let mut length = 0;
    for character in entry.chars() {
        let mut bytes = [0; 4];
        let bytes = character.encode_utf8(&mut bytes).as_bytes();
        let place = to.get_mut(length..length + bytes.len());
        let is_odd =
            character.is_control() || matches!(character, '/' | char::REPLACEMENT_CHARACTER);
        let Some(place) = place.filter(|_| !is_odd) else {
            return put_short_name(entry.short_name(), to);
        };
        place.copy_from_slice(bytes);
        length += bytes.len();
    }
    match to.get(..length) {
        Some(b"" | b"." | b"..") => put_short_name(entry.short_name(), to),
        _ => Some(length),
    }
}

/// As [`put_name`], the short one: with a question mark for each byte that is none of a name's, or that other systems show as
/// other characters.
fn put_short_name(name: [u8; 11], to: &mut [u8; NAME]) -> Option<usize> {
    let (base, extension) = name.split_at(8);
    let base = base.trim_ascii_end();
    let extension = extension.trim_ascii_end();
    let dot: &[u8] = if extension.is_empty() { b"" } else { b"." };
    let bytes = base.iter().chain(dot).chain(extension);
    let mut length = 0;
    for (to, from) in to.iter_mut().zip(bytes) {
        *to = match from {
            b'/' => b'?',
            b' '..=b'~' => *from,
            _ => b'?',
        };
        length += 1;
    }
    match to.get(..length) {
        Some(b"" | b"." | b"..") => None,
        _ => Some(length),
    }
}
