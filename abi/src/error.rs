//! Errors of the kernel. They never share space with an application's status.

/// Why the kernel refused or ended a call. Values are those of the C library's `errno`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Error {
    /// The right or grant is not in the manifest.
    NotPermitted = 1,
    /// No such client waits: answered already, gone, or never was.
    NoSuchClient = 3,
    /// The call was interrupted.
    Interrupted = 4,
    /// The peer that a selective receive names has died.
    PeerDied = 6,
    /// No such handle, or a stale one.
    BadHandle = 9,
    /// Nothing there now, and the call was not to block.
    WouldBlock = 11,
    /// No free object of this kind is left; raise its number in the manifest.
    Exhausted = 12,
    /// A range is outside the memory of the process that named it.
    BadAddress = 14,
    /// Somebody still holds a part of the memory, or waits for the thread already.
    InUse = 16,
    /// A length, count or flag is out of range.
    BadArgument = 22,
    /// No free handle slot; raise `handles` in the manifest.
    NoHandles = 23,
    /// The server died or closed its channel while the client waited, or before.
    ServerDied = 32,
    /// The call would close a cycle of waiting threads.
    Deadlock = 45,
    /// No such system call.
    BadCall = 88,
    /// This memory cannot be lent or moved to this server now; its bytes can be sent.
    CannotLend = 95,
    /// The deadline passed.
    TimedOut = 116,
}

impl Error {
    /// Every error, in order of its number.
    pub const ALL: [Error; 16] = [
        Error::NotPermitted,
        Error::NoSuchClient,
        Error::Interrupted,
        Error::PeerDied,
        Error::BadHandle,
        Error::WouldBlock,
        Error::Exhausted,
        Error::BadAddress,
        Error::InUse,
        Error::BadArgument,
        Error::NoHandles,
        Error::ServerDied,
        Error::Deadlock,
        Error::BadCall,
        Error::CannotLend,
        Error::TimedOut,
    ];

    /// The error with this number, as it came in the `CALL` register.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Error> {
        Self::ALL.into_iter().find(|error| *error as u32 == number)
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Error::NotPermitted => "not permitted",
            Error::NoSuchClient => "no such client waits",
            Error::Interrupted => "interrupted",
            Error::PeerDied => "peer died",
            Error::BadHandle => "bad handle",
            Error::WouldBlock => "would block",
            Error::Exhausted => "none left: the manifest sets how many there are",
            Error::BadAddress => "bad address",
            Error::InUse => "in use",
            Error::BadArgument => "bad argument",
            Error::NoHandles => "no free handle slot",
            Error::ServerDied => "server died",
            Error::Deadlock => "deadlock",
            Error::BadCall => "bad system call",
            Error::CannotLend => "memory cannot be lent",
            Error::TimedOut => "timed out",
        })
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn every_error_is_found_by_its_number_and_no_other_number_is_one() {
        for error in Error::ALL {
            assert_eq!(Error::from_number(error as u32), Some(error));
        }
        assert_eq!(
            (0..200).filter_map(Error::from_number).count(),
            Error::ALL.len()
        );
    }
}
