//! Why something was not done.

use core::fmt;

use riposte::{ConnectError, Error, Status};

use crate::protocol::status;

/// Why something was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// It is no socket of this process, or none of this kind; or the server has a new life, which does not know it.
    BadNumber,
    /// Not at once: the deadline was [`riposte::Deadline::Immediate`].
    WouldBlock,
    /// It makes no sense: no port, a backlog that is none, or a name that no host can have.
    Invalid,
    /// The process has as many sockets as it may, or asks for as many names or echoes.
    TooMany,
    /// Nothing can be written behind the end.
    Ended,
    /// The other side has ended the connection, or has kept silent too long.
    Reset,
    /// As many threads of the process wait as may.
    TooManyWait,
    /// Nobody is there.
    Refused,
    /// Somebody else has the port.
    InUse,
    /// The deadline has passed.
    TimedOut,
    /// There is no way to that address, the network has none of its own yet, or it has no server of names.
    Unreachable,
    /// It is longer than a datagram, or a name, can be, or than there is room for.
    TooLong,
    /// There is no such request.
    NotSupported,
    /// There is no host of that name, or it has no address.
    NoSuchName,
    /// The servers of names keep silent, or cannot tell.
    NameFailed,
    /// The server has ended: all sockets are gone. [`crate::Network::reconnect`] reaches its next life.
    ServerDied,
    /// The server's answer is none.
    Garbled,
    /// The manifest gives this process no such connection, or it could not be opened.
    Connect(ConnectError),
    /// The kernel's: [`Error::Interrupted`] if a signal was handled meanwhile.
    Kernel(Error),
    /// The server says something that this library does not know.
    Other(Status),
}

impl NetworkError {
    pub(crate) fn of(found: Status) -> NetworkError {
        match found {
            status::BAD_NUMBER => NetworkError::BadNumber,
            status::NOT_YET => NetworkError::WouldBlock,
            status::INVALID => NetworkError::Invalid,
            status::TOO_MANY => NetworkError::TooMany,
            status::ENDED => NetworkError::Ended,
            status::RESET => NetworkError::Reset,
            status::TOO_MANY_WAIT => NetworkError::TooManyWait,
            status::REFUSED => NetworkError::Refused,
            status::IN_USE => NetworkError::InUse,
            status::TIMED_OUT => NetworkError::TimedOut,
            status::INTERRUPTED => NetworkError::Kernel(Error::Interrupted),
            status::UNREACHABLE => NetworkError::Unreachable,
            status::TOO_LONG => NetworkError::TooLong,
            status::NOT_SUPPORTED => NetworkError::NotSupported,
            status::NO_SUCH_NAME => NetworkError::NoSuchName,
            status::NAME_FAILED => NetworkError::NameFailed,
            other => NetworkError::Other(other),
        }
    }
}

impl From<Error> for NetworkError {
    fn from(error: Error) -> NetworkError {
        match error {
            Error::ServerDied => NetworkError::ServerDied,
            Error::TimedOut => NetworkError::TimedOut,
            error => NetworkError::Kernel(error),
        }
    }
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NetworkError::BadNumber => "it is no socket of this process",
            NetworkError::WouldBlock => "not at once",
            NetworkError::Invalid => "it makes no sense",
            NetworkError::TooMany => {
                "this process has as many sockets, or asks for as many names or echoes, as it may: `streams`, `ports`, `names` and `pings` in the network server's `settings` in app.toml"
            }
            NetworkError::Ended => "nothing can be written behind the end",
            NetworkError::Reset => "the other side has ended the connection",
            NetworkError::TooManyWait => "as many threads wait as may",
            NetworkError::Refused => "nobody is there",
            NetworkError::InUse => "somebody else has the port",
            NetworkError::TimedOut => "the deadline has passed",
            NetworkError::Unreachable => {
                "there is no way to that address, or to a server of names: `gateway` and `dns` in the network server's `settings` in app.toml"
            }
            NetworkError::TooLong => {
                "it is longer than a datagram, or a name, can be, or than there is room for"
            }
            NetworkError::NotSupported => "there is no such request",
            NetworkError::NoSuchName => "there is no host of that name",
            NetworkError::NameFailed => "the servers of names keep silent, or cannot tell",
            NetworkError::ServerDied => "the network server has ended",
            NetworkError::Garbled => "the network server's answer is none",
            NetworkError::Connect(error) => return fmt::Display::fmt(error, f),
            NetworkError::Kernel(error) => return fmt::Display::fmt(error, f),
            NetworkError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl core::error::Error for NetworkError {}

impl embedded_io::Error for NetworkError {
    fn kind(&self) -> embedded_io::ErrorKind {
        use embedded_io::ErrorKind;
        match self {
            NetworkError::Reset | NetworkError::ServerDied => ErrorKind::ConnectionReset,
            NetworkError::Refused => ErrorKind::ConnectionRefused,
            NetworkError::Ended => ErrorKind::BrokenPipe,
            NetworkError::TimedOut => ErrorKind::TimedOut,
            NetworkError::Kernel(Error::Interrupted) => ErrorKind::Interrupted,
            NetworkError::InUse => ErrorKind::AddrInUse,
            NetworkError::Invalid | NetworkError::TooLong => ErrorKind::InvalidInput,
            _ => ErrorKind::Other,
        }
    }
}
