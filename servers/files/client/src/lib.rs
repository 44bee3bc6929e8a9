//! Files: the client's part.
//!
//! A server of files keeps them in directories; a process reaches it by the connection that its manifest gives it. The
//! position of an open file is the server's, so that duplicates share it.
//!
//! ```no_run
//! use riposte_files::{FileError, Files, Options, SeekFrom};
//!
//! fn remember() -> Result<(), FileError> {
//!     let files = Files::connect("files")?;
//!     files.create_dir("notes")?;
//!     let note = files.open("notes/today", Options::new().read().write().create())?;
//!     note.write(b"21 degrees")?;
//!     note.seek(SeekFrom::Start(3))?;
//!     let mut text = [0; 16];
//!     let length = note.read(&mut text)?;
//!     assert_eq!(&text[..length], b"degrees");
//!     Ok(())
//! }
//! ```
//!
//! Each call has a form with a deadline, which is its last parameter. Without one it waits for the server alone, and
//! for those whom this serves before. What a call was to do may be done though its deadline has passed.
#![no_std]
#![forbid(unsafe_code)]

mod directory;
mod error;
mod file;
mod options;
pub mod protocol;

pub use directory::{Directory, Entry};
pub use embedded_io::SeekFrom;
pub use error::FileError;
pub use file::File;
pub use options::Options;

use protocol::{LARGEST, REQUEST, STAT, kind, operation};
use riposte::{Connection, Deadline, MessageWords, Reply, Status, WordsReply};

/// The longest path that goes in registers.
const SHORT_PATH: usize = 12;

/// A connection to a server of files.
#[derive(Debug)]
pub struct Files {
    connection: Connection,
}

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes that stay.
    File,
    /// A directory.
    Directory,
    /// Bytes on their way to whoever reads them.
    Pipe,
    /// What a person reads and writes.
    Console,
    /// What this library does not know.
    Other(u32),
}

/// What there is to know of a file or a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// Bytes of a file; 0 of all else.
    pub size: u64,
    /// Tells it from all others that are there; 0 of all where the volume has no such number: FAT.
    pub id: u32,
}

/// How much there is of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Bytes of a block: what a file takes is a number of them.
    pub block: u32,
    /// Blocks in all.
    pub blocks: u32,
    /// Blocks that are nobody's.
    pub free: u32,
    /// Blocks that this process may still use.
    pub left: u32,
    /// Files and directories that this process may still make.
    pub entries: u32,
}

impl Files {
    /// The server to which the manifest gives this process a connection of that name. Never blocks.
    ///
    /// # Errors
    /// [`FileError::Connect`].
    pub fn connect(name: &'static str) -> Result<Files, FileError> {
        let connection = riposte::connect(name).map_err(FileError::Connect)?;
        Ok(Files { connection })
    }

    /// Connects again, to a server that has started anew: nothing is open.
    ///
    /// # Errors
    /// [`FileError::Kernel`].
    pub fn reconnect(&mut self) -> Result<(), FileError> {
        self.connection.reconnect().map_err(FileError::Kernel)
    }

    /// Opens a file.
    ///
    /// # Errors
    /// [`FileError::NotFound`], [`FileError::Exists`] if it must not be there, [`FileError::IsDirectory`], [`FileError::IsFifo`],
    /// [`FileError::NotDirectory`] if the path leads through a file, [`FileError::NameTooLong`],
    /// [`FileError::TooManyOpen`], [`FileError::NoSpace`] if it has to be created, [`FileError::ReadOnly`],
    /// [`FileError::Invalid`] if the options contradict each other; [`FileError::Kernel`] if the server can't be asked.
    pub fn open(&self, path: &str, options: Options) -> Result<File<'_>, FileError> {
        self.open_until(path, options, Deadline::None)
    }

    /// As [`Files::open`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`Files::open`].
    pub fn open_until(
        &self,
        path: &str,
        options: Options,
        deadline: impl Into<Deadline>,
    ) -> Result<File<'_>, FileError> {
        let operation = operation::OPEN | options.bits() << operation::SHIFT;
        let [number] = self.ask_of(operation, path, deadline.into())?;
        Ok(File::new(self, number))
    }

    /// Opens a directory, to go through its entries.
    ///
    /// # Errors
    /// [`FileError::NotDirectory`]; and as [`Files::open`].
    pub fn read_dir(&self, path: &str) -> Result<Directory<'_>, FileError> {
        self.read_dir_until(path, Deadline::None)
    }

    /// As [`Files::read_dir`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`Files::read_dir`].
    pub fn read_dir_until(
        &self,
        path: &str,
        deadline: impl Into<Deadline>,
    ) -> Result<Directory<'_>, FileError> {
        let deadline = deadline.into();
        let file = self.open_until(path, Options::new().read(), deadline)?;
        match file.stat_until(deadline)?.kind {
            Kind::Directory => Ok(Directory::new(file)),
            _ => Err(FileError::NotDirectory),
        }
    }

    /// What a path leads to.
    ///
    /// # Errors
    /// [`FileError::NotFound`], [`FileError::NotDirectory`], [`FileError::NameTooLong`], [`FileError::Invalid`];
    /// [`FileError::Kernel`] if the server can't be asked.
    pub fn stat(&self, path: &str) -> Result<Stat, FileError> {
        self.stat_until(path, Deadline::None)
    }

    /// As [`Files::stat`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`Files::stat`].
    pub fn stat_until(&self, path: &str, deadline: impl Into<Deadline>) -> Result<Stat, FileError> {
        let words = self.ask_of(operation::STAT_PATH, path, deadline.into())?;
        Ok(stat(words))
    }

    /// Makes an empty directory.
    ///
    /// # Errors
    /// [`FileError::Exists`], [`FileError::NoSpace`], [`FileError::ReadOnly`]; and as [`Files::stat`].
    pub fn create_dir(&self, path: &str) -> Result<(), FileError> {
        self.create_dir_until(path, Deadline::None)
    }

    /// As [`Files::create_dir`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`Files::create_dir`].
    pub fn create_dir_until(
        &self,
        path: &str,
        deadline: impl Into<Deadline>,
    ) -> Result<(), FileError> {
        let [] = self.ask_of(operation::MAKE_DIRECTORY, path, deadline.into())?;
        Ok(())
    }

    /// Makes a FIFO, of servers that have pipes: a name for a pipe, whose ends `riposte_pipe` opens by a connection to the
    /// same server. What is in it goes when the last end is closed.
    ///
    /// # Errors
    /// [`FileError::Exists`], [`FileError::NoSpace`], [`FileError::ReadOnly`], [`FileError::NotSupported`]; and as
    /// [`Files::stat`].
    pub fn create_fifo(&self, path: &str) -> Result<(), FileError> {
        self.create_fifo_until(path, Deadline::None)
    }

    /// As [`Files::create_fifo`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`Files::create_fifo`].
    pub fn create_fifo_until(
        &self,
        path: &str,
        deadline: impl Into<Deadline>,
    ) -> Result<(), FileError> {
        let [] = self.ask_of(operation::MAKE_FIFO, path, deadline.into())?;
        Ok(())
    }

    /// Removes a file, a FIFO, or an empty directory. A file that is open is there, without a name, until it is closed.
    ///
    /// # Errors
    /// [`FileError::NotEmpty`], [`FileError::ReadOnly`], [`FileError::Invalid`] for the root; and as [`Files::stat`].
    pub fn remove(&self, path: &str) -> Result<(), FileError> {
        self.remove_until(path, Deadline::None)
    }

    /// As [`Files::remove`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`Files::remove`].
    pub fn remove_until(&self, path: &str, deadline: impl Into<Deadline>) -> Result<(), FileError> {
        let [] = self.ask_of(operation::REMOVE, path, deadline.into())?;
        Ok(())
    }

    /// Gives a file or a directory another name, perhaps in another directory, at one instant. What had that name is
    /// removed: a file by a file, an empty directory by a directory.
    ///
    /// # Errors
    /// [`FileError::IsDirectory`] and [`FileError::NotDirectory`] if one is a directory and the other is none,
    /// [`FileError::NotEmpty`], [`FileError::ReadOnly`], [`FileError::Invalid`] for the root, and for a directory that
    /// would be in itself; and as [`Files::stat`].
    pub fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        self.rename_until(from, to, Deadline::None)
    }

    /// As [`Files::rename`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`Files::rename`].
    pub fn rename_until(
        &self,
        from: &str,
        to: &str,
        deadline: impl Into<Deadline>,
    ) -> Result<(), FileError> {
        let header = header(operation::RENAME, 0);
        let length = (from.len() as u32).to_le_bytes();
        let pieces = [&header, &length[..], from.as_bytes(), to.as_bytes()];
        self.call(pieces, &mut [], deadline.into()).map(drop)
    }

    /// How much there is of the disk, and how much of it this process may still use.
    ///
    /// # Errors
    /// [`FileError::Kernel`] if the server can't be asked.
    pub fn space(&self) -> Result<Space, FileError> {
        self.space_until(Deadline::None)
    }

    /// As [`Files::space`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`Files::space`].
    pub fn space_until(&self, deadline: impl Into<Deadline>) -> Result<Space, FileError> {
        let request = [operation::SPACE, 0];
        let [block, blocks, free, left, entries] = self.ask(request, deadline.into())?;
        Ok(Space {
            block,
            blocks,
            free,
            left,
            entries,
        })
    }

    /// A request of words, whose answer is so many words.
    pub(crate) fn ask<const N: usize, const M: usize>(
        &self,
        request: [u32; N],
        deadline: Deadline,
    ) -> Result<[u32; M], FileError>
    where
        [u32; N]: MessageWords,
    {
        let reply = match deadline {
            Deadline::None => self.connection.send_words(request),
            deadline => self.connection.send_words_until(request, deadline),
        };
        let WordsReply {
            status, words, len, ..
        } = reply.map_err(FileError::from_kernel)?;
        if status != Status::OK {
            return Err(FileError::from_status(status));
        }
        whole(len == M * 4)?;
        let (first, _) = words.split_first_chunk::<M>().ok_or(FileError::Garbled)?;
        Ok(*first)
    }

    /// A request about a path, whose answer is so many words.
    fn ask_of<const M: usize>(
        &self,
        operation: u32,
        path: &str,
        deadline: Deadline,
    ) -> Result<[u32; M], FileError> {
        if path.len() <= SHORT_PATH {
            // Zeros at its end are no part of it.
            let mut bytes = [0; SHORT_PATH];
            let text = path.bytes();
            bytes.iter_mut().zip(text).for_each(|(to, from)| *to = from);
            let [a, b, c] = words(&bytes);
            return self.ask([operation, 0, a, b, c], deadline);
        }
        let mut answer = [0; 20];
        let pieces = [&header(operation, 0), path.as_bytes()];
        let length = self.call(pieces, &mut answer, deadline)?;
        whole(length == M * 4)?;
        Ok(words(&answer))
    }

    /// A request in pieces, of which a header is the first; the length of the answer.
    #[inline(always)]
    pub(crate) fn call<const N: usize>(
        &self,
        pieces: [&[u8]; N],
        answer: &mut [u8],
        deadline: Deadline,
    ) -> Result<usize, FileError> {
        answered(self.connection.send_pieces_until(pieces, answer, deadline))
    }

    /// Reads on in an open file, as many bytes as there is room for.
    pub(crate) fn read(
        &self,
        number: u32,
        room: &mut [u8],
        deadline: Deadline,
    ) -> Result<usize, FileError> {
        let mut request = [0; REQUEST + 4];
        let words = [operation::READ, number, room.len() as u32];
        let (chunks, _) = request.as_chunks_mut::<4>();
        for (to, word) in chunks.iter_mut().zip(words) {
            *to = word.to_le_bytes();
        }
        answered(self.connection.send_until(&request, room, deadline))
    }
}

/// What a request begins with.
pub(crate) fn header(operation: u32, number: u32) -> [u8; REQUEST] {
    let [a, b, c, d] = operation.to_le_bytes();
    let [e, f, g, h] = number.to_le_bytes();
    [a, b, c, d, e, f, g, h]
}

/// The length of an answer that says that all is well.
fn answered(reply: Result<Reply, riposte::Error>) -> Result<usize, FileError> {
    let Reply { status, len, .. } = reply.map_err(FileError::from_kernel)?;
    match status {
        Status::OK => Ok(len),
        status => Err(FileError::from_status(status)),
    }
}

/// Whether an answer is what it should be.
fn whole(is_whole: bool) -> Result<(), FileError> {
    if is_whole {
        Ok(())
    } else {
        Err(FileError::Garbled)
    }
}

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let (chunks, _) = bytes.as_chunks::<4>();
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(chunks) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

fn stat([what, low, high, id]: [u32; STAT / 4]) -> Stat {
    Stat {
        kind: match what & !kind::REMOVED {
            kind::FILE => Kind::File,
            kind::DIRECTORY => Kind::Directory,
            kind::PIPE => Kind::Pipe,
            kind::CONSOLE => Kind::Console,
            other => Kind::Other(other),
        },
        size: u64::from(high) << 32 | u64::from(low),
        id,
    }
}

const _: () = assert!(LARGEST <= u32::MAX as usize);
