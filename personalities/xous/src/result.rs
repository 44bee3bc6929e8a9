//! What calls give back.

use core::fmt;

use crate::{MemoryAddress, MemorySize};

/// What a server answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Result {
    /// Nothing but that it is done.
    Ok,
    /// One word.
    Scalar1(usize),
    /// Two words.
    Scalar2(usize, usize),
    /// Five words.
    Scalar5(usize, usize, usize, usize, usize),
    /// The lent memory is back; the server's `offset` and `valid`.
    MemoryReturned(Option<MemoryAddress>, Option<MemorySize>),
}

/// Why a call failed: the errors of Xous that can happen here, and the kernel's own where Xous has
/// no such error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// A range of memory is not aligned to a page.
    BadAlignment,
    /// A range is not this process's memory.
    BadAddress,
    /// No memory, no page, or no room for a connection.
    OutOfMemory,
    /// The memory is still with somebody else.
    MemoryInUse,
    /// The server exists already.
    ServerExists,
    /// There is no such server: the manifest gives this process no connection (or channel) of that
    /// name, or the server has died.
    ServerNotFound,
    /// The client no longer waits.
    ProcessNotFound,
    /// The server's queue is full.
    ServerQueueFull,
    /// The manifest does not give the right.
    AccessDenied,
    /// The server answered in no form that Xous has.
    InternalError,
    /// Another error of the kernel.
    Kernel(riposte::Error),
}

impl From<riposte::Error> for Error {
    #[cold]
    fn from(error: riposte::Error) -> Error {
        match error {
            riposte::Error::NotPermitted => Error::AccessDenied,
            riposte::Error::NoSuchClient => Error::ProcessNotFound,
            riposte::Error::BadAddress => Error::BadAddress,
            riposte::Error::NoHandles => Error::OutOfMemory,
            riposte::Error::BadHandle | riposte::Error::ServerDied => Error::ServerNotFound,
            other => Error::Kernel(other),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Kernel(error) => fmt::Display::fmt(error, f),
            error => fmt::Debug::fmt(error, f),
        }
    }
}

impl core::error::Error for Error {}
