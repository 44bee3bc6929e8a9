//! Why shared memory could not be used.

use core::fmt;

use riposte::{ConnectError, Error, Status};

use crate::protocol::status;

/// Why shared memory could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedMemoryError {
    /// There is no object of that name, or it has no name any more.
    NoSuchName,
    /// There is an object of that name.
    Exists,
    /// This process may make none, may only read, or has not made what it would take the name of.
    NotAllowed,
    /// All blocks of this process's pool are in use, or it has as many names as it may.
    NoRoom,
    /// It is longer than the object's memory.
    TooLarge,
    /// This process or the server has no slot for a handle.
    NoHandles,
    /// It is no name.
    Invalid,
    /// The manifest gives this process no such connection, or it could not be opened.
    Connect(ConnectError),
    /// The kernel's: [`Error::ServerDied`] if the server ended, with all names.
    Kernel(Error),
    /// The server says something that this library does not know.
    Other(Status),
}

impl SharedMemoryError {
    pub(crate) fn from_kernel(error: Error) -> SharedMemoryError {
        match error {
            Error::NoHandles => SharedMemoryError::NoHandles,
            error => SharedMemoryError::Kernel(error),
        }
    }

    pub(crate) fn from_status(found: Status) -> SharedMemoryError {
        match found {
            status::NO_SUCH_NAME => SharedMemoryError::NoSuchName,
            status::NOT_ALLOWED => SharedMemoryError::NotAllowed,
            status::EXISTS => SharedMemoryError::Exists,
            status::INVALID => SharedMemoryError::Invalid,
            status::NO_HANDLES => SharedMemoryError::NoHandles,
            status::TOO_LARGE => SharedMemoryError::TooLarge,
            status::NO_ROOM => SharedMemoryError::NoRoom,
            other => SharedMemoryError::Other(other),
        }
    }
}

impl fmt::Display for SharedMemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SharedMemoryError::NoSuchName => "there is no object of that name",
            SharedMemoryError::Exists => "there is an object of that name",
            SharedMemoryError::NotAllowed => {
                "this process may not do that: to make objects it needs a [[pool]] of its name in app.toml, which \
                 the server may make regions of"
            }
            SharedMemoryError::NoRoom => {
                "no block of this process's pool is free, or it has as many names as it may: raise `blocks` of the \
                 [[pool]], or `names` in the server's `settings` in app.toml"
            }
            SharedMemoryError::TooLarge => {
                "it is longer than the object's memory: raise `block` of the [[pool]] in app.toml"
            }
            SharedMemoryError::NoHandles => "no slot for a handle is free: raise `handles` in app.toml",
            SharedMemoryError::Invalid => "a name has 1 to 31 bytes, none of them `/` or zero",
            SharedMemoryError::Connect(error) => return fmt::Display::fmt(error, f),
            SharedMemoryError::Kernel(error) => return fmt::Display::fmt(error, f),
            SharedMemoryError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl core::error::Error for SharedMemoryError {}
