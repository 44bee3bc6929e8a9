//! Why a pipe could not be used.

use core::fmt;

use riposte::{ConnectError, Error, Status};

use crate::protocol::status;

/// Why a pipe could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipeError {
    /// The server has no such pipe.
    NoSuchPipe,
    /// This process has as many ends as it may.
    TooManyEnds,
    /// The end is of another life of the server.
    BadEnd,
    /// Nobody is left who could read what is written.
    NoReader,
    /// There was no byte, or no room, until the deadline.
    TimedOut,
    /// As many threads of this process wait as may.
    TooManyWait,
    /// The server does not understand.
    BadRequest,
    /// The manifest gives this process no such connection, or it could not be opened.
    Connect(ConnectError),
    /// The kernel's: [`Error::ServerDied`] if the server ended, with all bytes that were on their way.
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
            status::TOO_MANY_WAIT => PipeError::TooManyWait,
            status::BAD_REQUEST => PipeError::BadRequest,
            other => PipeError::Other(other),
        }
    }
}

impl fmt::Display for PipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PipeError::NoSuchPipe => {
                "no such pipe: add pipe-NAME to the server's `settings` in app.toml"
            }
            PipeError::TooManyEnds => {
                "this process has as many ends as it may: raise `ends` in the server's `settings` in app.toml"
            }
            PipeError::BadEnd => "the end is of another life of the server",
            PipeError::NoReader => "nobody is left who could read",
            PipeError::TimedOut => "no byte, or no room, until the deadline",
            PipeError::TooManyWait => "as many threads of this process wait as may",
            PipeError::BadRequest => "the server does not understand",
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
            PipeError::BadEnd | PipeError::BadRequest => embedded_io::ErrorKind::InvalidInput,
            PipeError::Connect(_) | PipeError::Kernel(Error::ServerDied) => {
                embedded_io::ErrorKind::NotConnected
            }
            _ => embedded_io::ErrorKind::Other,
        }
    }
}
