//! Why a name could not be registered or found.

use core::fmt;

use riposte::{ConnectError, Error, Status};

use crate::protocol::status;

/// Why a name could not be registered or found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// It is no name: `/` and a part, at least once, at most 32 bytes; or no path.
    BadName,
    /// The manifest does not let this process register, or find, anything of that name.
    NotAllowed,
    /// There is no such name that this process may find, or none of its own.
    NoSuchName,
    /// Another process has the name.
    Taken,
    /// This process has as many names as it may.
    TooMany,
    /// There was no such name, or no change, until the deadline.
    TimedOut,
    /// As many threads of this process wait as may.
    TooManyWait,
    /// This process has no room for a connection.
    NoHandles,
    /// The server does not understand.
    BadRequest,
    /// The manifest gives this process no names, or the server could not be reached.
    Connect(ConnectError),
    /// The kernel's: [`Error::ServerDied`] if the names server ended, with all names, [`Error::Interrupted`] if a signal
    /// was handled meanwhile.
    Kernel(Error),
    /// The server says something that this library does not know.
    Other(Status),
}

impl NameError {
    pub(crate) fn from_kernel(error: Error) -> NameError {
        match error {
            Error::TimedOut => NameError::TimedOut,
            error => NameError::Kernel(error),
        }
    }

    pub(crate) fn from_status(found: Status) -> NameError {
        match found {
            status::BAD_NAME => NameError::BadName,
            status::NOT_ALLOWED => NameError::NotAllowed,
            status::NO_SUCH_NAME => NameError::NoSuchName,
            status::TAKEN => NameError::Taken,
            status::TOO_MANY => NameError::TooMany,
            status::TIMED_OUT => NameError::TimedOut,
            status::INTERRUPTED => NameError::Kernel(Error::Interrupted),
            status::TOO_MANY_WAIT => NameError::TooManyWait,
            status::NO_HANDLES => NameError::NoHandles,
            status::BAD_REQUEST => NameError::BadRequest,
            other => NameError::Other(other),
        }
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NameError::BadName => "a name is a path such as /dev/console, of at most 32 bytes",
            NameError::NotAllowed => {
                "the name is not in this process's `registers`, or `finds`, in app.toml"
            }
            NameError::NoSuchName => "there is no such name",
            NameError::Taken => "another process has the name",
            NameError::TooMany => "this process has as many names as it may",
            NameError::TimedOut => "no such name, or no change, until the deadline",
            NameError::TooManyWait => "as many threads of this process wait as may",
            NameError::NoHandles => {
                "no room for a connection: close some, or raise `handles` in [kernel] in app.toml"
            }
            NameError::BadRequest => "the server does not understand",
            NameError::Connect(error) => return fmt::Display::fmt(error, f),
            NameError::Kernel(error) => return fmt::Display::fmt(error, f),
            NameError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl core::error::Error for NameError {}
