//! How a file is opened.

use crate::protocol::option;

/// How a file is opened: it begins with nothing, and must at least [read](Options::read) or [write](Options::write).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options(u32);

impl Options {
    /// Nothing.
    #[must_use]
    pub const fn new() -> Options {
        Options(0)
    }

    /// It is to be read.
    #[must_use]
    pub const fn read(self) -> Options {
        Options(self.0 | option::READ)
    }

    /// It is to be written.
    #[must_use]
    pub const fn write(self) -> Options {
        Options(self.0 | option::WRITE)
    }

    /// It is created if it is not there.
    #[must_use]
    pub const fn create(self) -> Options {
        Options(self.0 | option::CREATE)
    }

    /// It is created, and must not be there.
    #[must_use]
    pub const fn create_new(self) -> Options {
        Options(self.0 | option::CREATE | option::EXCLUSIVE)
    }

    /// It is emptied. Needs [`Options::write`].
    #[must_use]
    pub const fn truncate(self) -> Options {
        Options(self.0 | option::TRUNCATE)
    }

    /// Each write goes to its end, wherever that is then. Needs [`Options::write`].
    #[must_use]
    pub const fn append(self) -> Options {
        Options(self.0 | option::APPEND)
    }

    pub(crate) const fn bits(self) -> u32 {
        self.0
    }
}
