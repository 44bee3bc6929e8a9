//! How a call through an interface can fail.

use core::convert::Infallible;
use core::fmt;

use crate::{Error, Status};

/// Statuses with which generated servers refuse requests. They are the highest ones: an
/// interface's own errors stay below.
pub mod refusal {
    use crate::Status;

    /// The interface has no method with that number.
    pub const NO_SUCH_METHOD: Status = Status(u32::MAX);
    /// The request's bytes are not those of the method's arguments.
    pub const MALFORMED: Status = Status(u32::MAX - 1);
    /// The server's buffer is too short for the request or the result.
    pub const TOO_LONG: Status = Status(u32::MAX - 2);
    /// The least of those that are kept for refusals.
    pub(super) const LEAST: Status = Status(u32::MAX - 15);
}

/// An error of an interface's own: it travels as the status of a reply. Derive it for an enumeration without
/// fields, whose cases are numbered from 1 on or as it says, or for a structure without fields:
///
/// ```
/// use riposte::interface::ApplicationError;
///
/// #[derive(ApplicationError)]
/// enum Broken {
///     Lamp,
///     Fuse = 7,
/// }
/// # assert_eq!((Broken::Lamp.into_status().0, Broken::Fuse.into_status().0), (1, 7));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the error of an interface: it has no status",
    label = "travels as a status",
    note = "write above it, after `use riposte::interface::ApplicationError;`\n\
            #[derive(ApplicationError)]"
)]
pub trait ApplicationError: Sized {
    /// The status, which is neither 0 nor one of [`refusal`].
    fn into_status(self) -> Status;

    /// The error with this status, or none if it has none.
    fn from_status(status: Status) -> Option<Self>;
}

impl ApplicationError for Status {
    fn into_status(self) -> Status {
        self
    }

    fn from_status(status: Status) -> Option<Self> {
        Some(status)
    }
}

impl ApplicationError for Infallible {
    fn into_status(self) -> Status {
        match self {}
    }

    fn from_status(_: Status) -> Option<Self> {
        None
    }
}

/// Why a call through an interface brought no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallError<E = Infallible> {
    /// The kernel refused or ended it.
    Kernel(Error),
    /// The server refused it, with one of [`refusal`] or a status that the interface doesn't know:
    /// client and server don't speak the same interface.
    Refused(Status),
    /// The method itself failed.
    Application(E),
}

impl<E> CallError<E> {
    /// The other side does not keep to the interface.
    pub const MALFORMED: CallError<E> = CallError::Refused(refusal::MALFORMED);
}

impl<E: ApplicationError> CallError<E> {
    /// The error of a reply with this status, if it is one.
    #[doc(hidden)]
    pub fn check(status: Status) -> Result<(), CallError<E>> {
        if status.is_ok() {
            return Ok(());
        }
        if status.0 >= refusal::LEAST.0 {
            return Err(CallError::Refused(status));
        }
        Err(E::from_status(status).map_or(CallError::Refused(status), CallError::Application))
    }
}

impl<E> From<Error> for CallError<E> {
    fn from(error: Error) -> Self {
        CallError::Kernel(error)
    }
}

impl<E: fmt::Display> fmt::Display for CallError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Kernel(error) => error.fmt(f),
            CallError::Refused(status) => write!(f, "refused by the server: {status}"),
            CallError::Application(error) => error.fmt(f),
        }
    }
}
