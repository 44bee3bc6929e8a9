//! Why something could not be done with a file.

use core::fmt;

use riposte::{ConnectError, Error, Status};

use crate::protocol::status;

/// Why something could not be done with a file. Nothing has changed, but where a server ended, a deadline passed, or a
/// signal was handled, in the middle of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileError {
    /// There is nothing of that name.
    NotFound,
    /// There is something of that name already.
    Exists,
    /// The directory has entries.
    NotEmpty,
    /// It is a directory.
    IsDirectory,
    /// It is a FIFO: an end of it is opened by `riposte_pipe`.
    IsFifo,
    /// It is no directory.
    NotDirectory,
    /// This process has as many blocks, or as many files and directories, as it may.
    NoSpace,
    /// No file can be so long.
    TooLarge,
    /// A name, or a path, is too long.
    NameTooLong,
    /// This process has as many open files as it may.
    TooManyOpen,
    /// The file is not open for that, or of another life of the server.
    BadFile,
    /// This process may change nothing, or the file, or the volume, can't be written.
    ReadOnly,
    /// It is open, and the volume's files can't live without a name: FAT.
    Busy,
    /// The device has failed, or what is on it does not fit together.
    Io,
    /// It makes no sense: options that contradict each other, a position before the beginning, a path that is no text,
    /// the root where something else is meant.
    Invalid,
    /// It has no positions: it is no file.
    NoSeek,
    /// There is nothing to read yet, or no room: it is no file.
    WouldBlock,
    /// Nobody is left who could read: it is no file.
    NoReader,
    /// The server has no such operation.
    NotSupported,
    /// The deadline has passed.
    TimedOut,
    /// The server's answer is none.
    Garbled,
    /// The manifest gives this process no such connection, or it could not be opened.
    Connect(ConnectError),
    /// The kernel's: [`Error::ServerDied`] if the server ended, [`Error::Interrupted`] if a signal was handled meanwhile.
    Kernel(Error),
    /// The server says something that this library does not know.
    Other(Status),
}

impl FileError {
    pub(crate) fn from_kernel(error: Error) -> FileError {
        match error {
            Error::TimedOut => FileError::TimedOut,
            error => FileError::Kernel(error),
        }
    }

    /// Whether the server may have done what it was asked all the same: nobody has waited for its answer.
    pub(crate) fn is_uncertain(self) -> bool {
        matches!(self, FileError::TimedOut | FileError::Kernel(_))
    }

    pub(crate) fn from_status(found: Status) -> FileError {
        match found {
            status::NOT_FOUND => FileError::NotFound,
            status::EXISTS => FileError::Exists,
            status::NOT_EMPTY => FileError::NotEmpty,
            status::IS_DIRECTORY => FileError::IsDirectory,
            status::IS_FIFO => FileError::IsFifo,
            status::NOT_DIRECTORY => FileError::NotDirectory,
            status::NO_SPACE => FileError::NoSpace,
            status::TOO_LARGE => FileError::TooLarge,
            status::NAME_TOO_LONG => FileError::NameTooLong,
            status::TOO_MANY_OPEN => FileError::TooManyOpen,
            status::BAD_FILE => FileError::BadFile,
            status::READ_ONLY => FileError::ReadOnly,
            status::BUSY => FileError::Busy,
            status::IO => FileError::Io,
            status::INVALID => FileError::Invalid,
            status::NO_SEEK => FileError::NoSeek,
            status::WOULD_BLOCK => FileError::WouldBlock,
            status::NO_READER => FileError::NoReader,
            status::NOT_SUPPORTED => FileError::NotSupported,
            other => FileError::Other(other),
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileError::NotFound => "no such file or directory",
            FileError::Exists => "it exists already",
            FileError::NotEmpty => "the directory has entries",
            FileError::IsDirectory => "it is a directory",
            FileError::IsFifo => "it is a FIFO, which is opened as a pipe is",
            FileError::NotDirectory => "it is no directory",
            FileError::NoSpace => {
                "this process has as much as it may: raise `blocks` or `entries` in the server's `settings`, and its region, in app.toml"
            }
            FileError::TooLarge => "no file can be so long: raise the `size` of the server's region in app.toml",
            FileError::NameTooLong => "a name, or the path, is too long",
            FileError::TooManyOpen => {
                "this process has as many open files as it may: raise `files` in the server's `settings` in app.toml"
            }
            FileError::BadFile => "the file is not open for that, or of another life of the server",
            FileError::ReadOnly => {
                "it can't be changed: by this process, whose badge says so in app.toml, or by nobody"
            }
            FileError::Busy => "it is open",
            FileError::Io => "the device has failed, or what is on it does not fit together",
            FileError::Invalid => "that makes no sense",
            FileError::NoSeek => "it has no positions",
            FileError::WouldBlock => "nothing to read yet, or no room",
            FileError::NoReader => "nobody is left who could read",
            FileError::NotSupported => "the server has no such operation",
            FileError::TimedOut => "no answer until the deadline",
            FileError::Garbled => "the server's answer is none",
            FileError::Connect(error) => return fmt::Display::fmt(error, f),
            FileError::Kernel(error) => return fmt::Display::fmt(error, f),
            FileError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl core::error::Error for FileError {}

impl embedded_io::Error for FileError {
    fn kind(&self) -> embedded_io::ErrorKind {
        use embedded_io::ErrorKind;
        match self {
            FileError::NotFound => ErrorKind::NotFound,
            FileError::Exists => ErrorKind::AlreadyExists,
            FileError::ReadOnly => ErrorKind::PermissionDenied,
            FileError::NoReader => ErrorKind::BrokenPipe,
            FileError::TimedOut => ErrorKind::TimedOut,
            FileError::NotSupported | FileError::NoSeek => ErrorKind::Unsupported,
            FileError::Garbled => ErrorKind::InvalidData,
            FileError::BadFile
            | FileError::Invalid
            | FileError::IsDirectory
            | FileError::IsFifo
            | FileError::NotDirectory
            | FileError::NameTooLong => ErrorKind::InvalidInput,
            FileError::Connect(_) | FileError::Kernel(Error::ServerDied) => ErrorKind::NotConnected,
            _ => ErrorKind::Other,
        }
    }
}
