//! Why a queue could not be used.

use core::fmt;

use riposte::{ConnectError, Error, Status};

use crate::protocol::status;

/// Why a queue could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueError {
    /// The server has no such queue.
    NoSuchQueue,
    /// There is one of that name with another capacity or size.
    Differs,
    /// The server's limits allow no such queue, or this process has made as many as it may.
    NoRoom,
    /// The message is longer than those of the queue.
    TooLong,
    /// The buffer is shorter than a message of the queue can be.
    TooShort,
    /// There was no room, or no message, until the deadline.
    TimedOut,
    /// The server keeps as many clients waiting as it can, and this process has its share of them.
    TooManyWait,
    /// The server does not understand: a name or a level out of range.
    BadRequest,
    /// The manifest gives this process no such connection, or it could not be opened.
    Connect(ConnectError),
    /// The kernel's: [`Error::ServerDied`] if the server ended, with all that it held, [`Error::Interrupted`] if a
    /// signal was handled meanwhile.
    Kernel(Error),
    /// The server says something that this library does not know.
    Other(Status),
}

impl QueueError {
    pub(crate) fn from_kernel(error: Error) -> QueueError {
        match error {
            Error::TimedOut => QueueError::TimedOut,
            error => QueueError::Kernel(error),
        }
    }

    pub(crate) fn from_status(found: Status) -> QueueError {
        match found {
            status::NO_SUCH_QUEUE => QueueError::NoSuchQueue,
            status::DIFFERS => QueueError::Differs,
            status::NO_ROOM => QueueError::NoRoom,
            status::TOO_LONG => QueueError::TooLong,
            status::TIMED_OUT => QueueError::TimedOut,
            status::INTERRUPTED => QueueError::Kernel(Error::Interrupted),
            status::TOO_MANY_WAIT => QueueError::TooManyWait,
            status::BAD_REQUEST => QueueError::BadRequest,
            other => QueueError::Other(other),
        }
    }
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QueueError::NoSuchQueue => {
                "no such queue: add queue-NAME to the server's `settings` in app.toml, or create it"
            }
            QueueError::Differs => "there is a queue of that name with another capacity or size",
            QueueError::NoRoom => {
                "the server allows no such queue: raise `create` in its `settings` in app.toml, or \
                 make it smaller"
            }
            QueueError::TooLong => "the message is longer than those of the queue",
            QueueError::TooShort => "the buffer is shorter than a message can be",
            QueueError::TimedOut => "no room, or no message, until the deadline",
            QueueError::TooManyWait => "the server keeps as many clients waiting as it can",
            QueueError::BadRequest => "a name or a level is out of range",
            QueueError::Connect(error) => return fmt::Display::fmt(error, f),
            QueueError::Kernel(error) => return fmt::Display::fmt(error, f),
            QueueError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl core::error::Error for QueueError {}
