//! Why a program could not be started, or waited for.

use core::fmt;

use riposte::{ConnectError, Error, Status};

use crate::protocol::status;

/// Why something was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessError {
    /// There is no such program in the image.
    NoSuchProgram,
    /// The manifest does not let this process spawn it; or it is another one's child.
    NotAllowed,
    /// All instances of the program are in use.
    NoInstance,
    /// This process has as many children as it may.
    TooManyChildren,
    /// This process has no such child.
    NoSuchChild,
    /// No such program runs.
    NoSuchProcess,
    /// It had not ended at the deadline.
    TimedOut,
    /// As many threads of this process wait as may: four, or its share of 32 if more than eight processes spawn.
    TooManyWait,
    /// As many signals wait in it as can.
    TooManySignals,
    /// This process was not spawned; or the process manager has begun anew since, and does not know any more what it was
    /// given.
    NoProgram,
    /// Name, arguments and environment have more than [`BLOCK`](crate::protocol::BLOCK) bytes, or one has a zero in it, or
    /// the name of a variable is none: empty, or with `=`.
    TooLong,
    /// The process manager does not understand.
    BadRequest,
    /// The manifest gives this process no process manager, or it could not be reached.
    Connect(ConnectError),
    /// The kernel's: [`Error::ServerDied`] if the process manager ended, [`Error::Interrupted`] if a signal was handled
    /// meanwhile.
    Kernel(Error),
    /// The process manager says something that this library does not know.
    Other(Status),
}

impl ProcessError {
    pub(crate) fn from_kernel(error: Error) -> ProcessError {
        match error {
            Error::TimedOut => ProcessError::TimedOut,
            error => ProcessError::Kernel(error),
        }
    }

    pub(crate) fn from_status(found: Status) -> ProcessError {
        match found {
            status::NO_SUCH_PROGRAM => ProcessError::NoSuchProgram,
            status::NOT_ALLOWED => ProcessError::NotAllowed,
            status::NO_INSTANCE => ProcessError::NoInstance,
            status::TOO_MANY_CHILDREN => ProcessError::TooManyChildren,
            status::NO_SUCH_CHILD => ProcessError::NoSuchChild,
            status::NO_SUCH_PROCESS => ProcessError::NoSuchProcess,
            status::TIMED_OUT => ProcessError::TimedOut,
            status::INTERRUPTED => ProcessError::Kernel(Error::Interrupted),
            status::TOO_MANY_WAIT => ProcessError::TooManyWait,
            status::TOO_MANY_SIGNALS => ProcessError::TooManySignals,
            status::NO_PROGRAM => ProcessError::NoProgram,
            status::BAD_REQUEST => ProcessError::BadRequest,
            other => ProcessError::Other(other),
        }
    }
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProcessError::NoSuchProgram => "there is no such program",
            ProcessError::NotAllowed => {
                "it is not in this process's `spawns` in app.toml, or another one's child"
            }
            ProcessError::NoInstance => {
                "all its `instances` are in use: wait for one to end, or raise them in app.toml"
            }
            ProcessError::TooManyChildren => {
                "too many children: wait for some, or raise `children` of this process in app.toml"
            }
            ProcessError::NoSuchChild => "there is no such child",
            ProcessError::NoSuchProcess => "no such program runs",
            ProcessError::TimedOut => "it had not ended at the deadline",
            ProcessError::TooManyWait => "as many threads of this process wait as may",
            ProcessError::TooManySignals => "as many signals wait in it as can",
            ProcessError::NoProgram => {
                "this process was not spawned, or its process manager has begun anew since"
            }
            ProcessError::TooLong => "the arguments are too long, or one is none",
            ProcessError::BadRequest => "the process manager does not understand",
            ProcessError::Connect(error) => return fmt::Display::fmt(error, f),
            ProcessError::Kernel(error) => return fmt::Display::fmt(error, f),
            ProcessError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl core::error::Error for ProcessError {}
