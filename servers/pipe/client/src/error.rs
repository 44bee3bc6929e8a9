//! Why a pipe could not be used.

use core::fmt;

use riposte::{ConnectError, Error, Status};

use crate::protocol::status;

/// Why a pipe could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipeError {
    /// The server has no such pipe, or none any more.
    NoSuchPipe,
    /// This process has as many ends as it may.
    TooManyEnds,
    /// The end is of another life of the server, or was closed meanwhile.
    BadEnd,
    /// Nobody is left who could read what is written.
    NoReader,
    /// There was no byte, or no room, until the deadline.
    TimedOut,
    /// As many threads of this process wait as may.
    TooManyWait,
    /// The server does not understand.
    BadRequest,
    /// There is a pipe of that name.
    Taken,
    /// This process has made as many pipes as it may.
    TooManyPipes,
    /// Another process has made the pipe, or it is in the manifest.
    NotYours,
    /// A pipe's name has 1 to 16 bytes.
    BadName,
    /// A pipe of no bytes, or of more than the server has for one that is made while it runs.
    BadCapacity,
    /// Nobody is at the other side.
    Nobody,
    /// The server's answer is none.
    Garbled,
    /// The manifest gives this process no such connection, or it could not be opened.
    Connect(ConnectError),
    /// The kernel's: [`Error::ServerDied`] if the server ended, with all bytes that were on their way,
    /// [`Error::Interrupted`] if a signal was handled meanwhile.
    Kernel(Error),
    /// The server says something that this library does not know.
    Other(Status),
}

impl PipeError {
    pub(crate) fn from_kernel(error: Error) -> PipeError {
        match error {
            Error::TimedOut => PipeError::TimedOut,
            error => PipeError::Kernel(error),
        }
    }

    pub(crate) fn from_status(found: Status) -> PipeError {
        match found {
            status::NO_SUCH_PIPE => PipeError::NoSuchPipe,
            status::TOO_MANY_ENDS => PipeError::TooManyEnds,
            status::BAD_END => PipeError::BadEnd,
            status::NO_READER => PipeError::NoReader,
            status::TIMED_OUT => PipeError::TimedOut,
            status::INTERRUPTED => PipeError::Kernel(Error::Interrupted),
            status::TOO_MANY_WAIT => PipeError::TooManyWait,
            status::BAD_REQUEST => PipeError::BadRequest,
            status::TAKEN => PipeError::Taken,
            status::TOO_MANY_PIPES => PipeError::TooManyPipes,
            status::NOT_YOURS => PipeError::NotYours,
            status::BAD_NAME => PipeError::BadName,
            status::BAD_CAPACITY => PipeError::BadCapacity,
            status::NOBODY => PipeError::Nobody,
            other => PipeError::Other(other),
        }
    }
}

impl fmt::Display for PipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PipeError::NoSuchPipe => {
                "no such pipe: add pipe-NAME to the server's `settings` in app.toml, or make it first"
            }
            PipeError::TooManyEnds => {
                "this process has as many ends as it may: raise `ends` in the server's `settings` in app.toml"
            }
            PipeError::BadEnd => "the end is of another life of the server, or was closed meanwhile",
            PipeError::NoReader => "nobody is left who could read",
            PipeError::TimedOut => "no byte, or no room, until the deadline",
            PipeError::TooManyWait => "as many threads of this process wait as may: raise `threads` in the server's `settings` in app.toml",
            PipeError::BadRequest => "the server does not understand",
            PipeError::Taken => "there is a pipe of that name",
            PipeError::TooManyPipes => {
                "this process has made as many pipes as it may: raise `pipes` in the server's `settings` in app.toml"
            }
            PipeError::NotYours => "another process has made the pipe, or the manifest has",
            PipeError::BadName => "a pipe's name has 1 to 16 bytes",
            PipeError::BadCapacity => {
                "a pipe of no bytes, or too many: raise `capacity` in the server's `settings` in app.toml"
            }
            PipeError::Nobody => "nobody is at the other side",
            PipeError::Garbled => "the pipe server's answer is none",
            PipeError::Connect(error) => return fmt::Display::fmt(error, f),
            PipeError::Kernel(error) => return fmt::Display::fmt(error, f),
            PipeError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl core::error::Error for PipeError {}

impl embedded_io::Error for PipeError {
    fn kind(&self) -> embedded_io::ErrorKind {
        match self {
            PipeError::NoSuchPipe => embedded_io::ErrorKind::NotFound,
            PipeError::NoReader => embedded_io::ErrorKind::BrokenPipe,
            PipeError::TimedOut => embedded_io::ErrorKind::TimedOut,
            PipeError::Kernel(Error::Interrupted) => embedded_io::ErrorKind::Interrupted,
            PipeError::Taken => embedded_io::ErrorKind::AlreadyExists,
            PipeError::NotYours => embedded_io::ErrorKind::PermissionDenied,
            PipeError::BadEnd
            | PipeError::BadRequest
            | PipeError::BadName
            | PipeError::BadCapacity => embedded_io::ErrorKind::InvalidInput,
            PipeError::Connect(_) | PipeError::Kernel(Error::ServerDied) => {
                embedded_io::ErrorKind::NotConnected
            }
            _ => embedded_io::ErrorKind::Other,
        }
    }
}
