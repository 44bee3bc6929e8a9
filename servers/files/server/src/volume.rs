//! What a volume must be able to do.

use files_store::{File, NAME, Options, Refused, Stat, Whence};
use riposte::{Answer, Message};

use crate::server::status_of;

/// How much there is of a volume.
#[derive(Clone, Copy)]
pub struct Space {
    /// Bytes of a block.
    pub block: u32,
    /// Blocks in all.
    pub blocks: u32,
    /// Blocks that are nobody's.
    pub free: u32,
    /// Blocks that a client may still use.
    pub left: u32,
    /// Files and directories that it may still make.
    pub entries: u32,
}

/// Where files are kept. A client is a number; what it has open is named by a [`File`] and is its own. What is refused has
/// changed nothing.
pub trait Volume {
    /// Opens what a path leads to.
    ///
    /// # Errors
    /// [`Refused`]: as POSIX has it, and so for all others.
    fn open(&mut self, client: usize, path: &[u8], options: Options) -> Result<File, Refused>;
    /// Another number for the same open file.
    ///
    /// # Errors
    /// [`Refused`].
    fn duplicate(&mut self, client: usize, file: File) -> Result<File, Refused>;
    /// Closes an open file.
    ///
    /// # Errors
    /// [`Refused`].
    fn close(&mut self, client: usize, file: File) -> Result<(), Refused>;
    /// Closes all that a client has open, which has ended.
    fn leave(&mut self, client: usize);
    /// Answers a read of at most so many bytes.
    fn read<'a>(
        &mut self,
        client: usize,
        file: File,
        most: usize,
        message: Message<'a>,
    ) -> Answer<'a>;
    /// Writes what is behind the head of a request, of so many bytes, and answers it.
    fn write<'a>(
        &mut self,
        client: usize,
        file: File,
        head: usize,
        message: Message<'a>,
    ) -> Answer<'a>;
    /// Moves the position of a file; where it is now.
    ///
    /// # Errors
    /// [`Refused`].
    fn seek(
        &mut self,
        client: usize,
        file: File,
        offset: i64,
        whence: Whence,
    ) -> Result<u32, Refused>;
    /// Leaves a file so many bytes, or adds zeros.
    ///
    /// # Errors
    /// [`Refused`].
    fn truncate(&mut self, client: usize, file: File, size: u64) -> Result<(), Refused>;
    /// Returns when what was written is where it is kept.
    ///
    /// # Errors
    /// [`Refused`].
    fn sync(&mut self, client: usize, file: File) -> Result<(), Refused>;
    /// What an open file is.
    ///
    /// # Errors
    /// [`Refused`].
    fn stat(&mut self, client: usize, file: File) -> Result<Stat, Refused>;
    /// What a path leads to.
    ///
    /// # Errors
    /// [`Refused`].
    fn stat_path(&mut self, path: &[u8]) -> Result<Stat, Refused>;
    /// The next entry of an open directory, and the length of its name; none at the end.
    ///
    /// # Errors
    /// [`Refused`].
    fn list(
        &mut self,
        client: usize,
        file: File,
        name: &mut [u8; NAME],
    ) -> Result<Option<(Stat, usize)>, Refused>;
    /// Makes an empty directory.
    ///
    /// # Errors
    /// [`Refused`].
    fn make_directory(&mut self, client: usize, path: &[u8]) -> Result<(), Refused>;
    /// Makes a FIFO; what tells it from all others that are there.
    ///
    /// # Errors
    /// [`Refused`].
    fn make_fifo(&mut self, client: usize, path: &[u8]) -> Result<u32, Refused>;
    /// Removes a file, a FIFO, or an empty directory.
    ///
    /// # Errors
    /// [`Refused`].
    fn remove(&mut self, path: &[u8]) -> Result<(), Refused>;
    /// Gives another name, and place.
    ///
    /// # Errors
    /// [`Refused`].
    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Refused>;
    /// How much there is, and how much a client may still use.
    ///
    /// # Errors
    /// [`Refused`].
    fn space(&mut self, client: usize) -> Result<Space, Refused>;
}

/// A volume that is not there, since what should be one does not fit together: every request is [`Refused::Damaged`].
impl<V: Volume> Volume for Option<V> {
    fn open(&mut self, client: usize, path: &[u8], options: Options) -> Result<File, Refused> {
        there(self)?.open(client, path, options)
    }

    fn duplicate(&mut self, client: usize, file: File) -> Result<File, Refused> {
        there(self)?.duplicate(client, file)
    }

    fn close(&mut self, client: usize, file: File) -> Result<(), Refused> {
        there(self)?.close(client, file)
    }

    fn leave(&mut self, client: usize) {
        if let Some(volume) = self {
            volume.leave(client);
        }
    }

    fn read<'a>(
        &mut self,
        client: usize,
        file: File,
        most: usize,
        message: Message<'a>,
    ) -> Answer<'a> {
        match self {
            Some(volume) => volume.read(client, file, most, message),
            None => message.answer_error(status_of(Refused::Damaged)),
        }
    }

    fn write<'a>(
        &mut self,
        client: usize,
        file: File,
        head: usize,
        message: Message<'a>,
    ) -> Answer<'a> {
        match self {
            Some(volume) => volume.write(client, file, head, message),
            None => message.answer_error(status_of(Refused::Damaged)),
        }
    }

    fn seek(
        &mut self,
        client: usize,
        file: File,
        offset: i64,
        whence: Whence,
    ) -> Result<u32, Refused> {
        there(self)?.seek(client, file, offset, whence)
    }

    fn truncate(&mut self, client: usize, file: File, size: u64) -> Result<(), Refused> {
        there(self)?.truncate(client, file, size)
    }

    fn sync(&mut self, client: usize, file: File) -> Result<(), Refused> {
        there(self)?.sync(client, file)
    }

    fn stat(&mut self, client: usize, file: File) -> Result<Stat, Refused> {
        there(self)?.stat(client, file)
    }

    fn stat_path(&mut self, path: &[u8]) -> Result<Stat, Refused> {
        there(self)?.stat_path(path)
    }

    fn list(
        &mut self,
        client: usize,
        file: File,
        name: &mut [u8; NAME],
    ) -> Result<Option<(Stat, usize)>, Refused> {
        there(self)?.list(client, file, name)
    }

    fn make_directory(&mut self, client: usize, path: &[u8]) -> Result<(), Refused> {
        there(self)?.make_directory(client, path)
    }

    fn make_fifo(&mut self, client: usize, path: &[u8]) -> Result<u32, Refused> {
        there(self)?.make_fifo(client, path)
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), Refused> {
        there(self)?.remove(path)
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Refused> {
        there(self)?.rename(from, to)
    }

    fn space(&mut self, client: usize) -> Result<Space, Refused> {
        there(self)?.space(client)
    }
}

fn there<V>(volume: &mut Option<V>) -> Result<&mut V, Refused> {
    volume.as_mut().ok_or(Refused::Damaged)
}
