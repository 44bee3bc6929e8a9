//! What the keeper of keys and its clients say to each other: two words, an operation and a key. The answer is a status.
#![no_std]

use riposte::{Connection, Deadline, Error, Status};
use riposte_names::{NameError, Names};

/// Keys that there are: numbers below this one.
pub const KEYS: u32 = 8;

/// What a client wants.
pub mod operation {
    /// The key, as soon as nobody else has it.
    pub const BORROW: u32 = 0;
    /// To have the key no longer.
    pub const GIVE_BACK: u32 = 1;
}

/// Why a client does not get what it wants.
pub mod status {
    use riposte::Status;

    /// There is no such key, or no such operation.
    pub const NO_SUCH_KEY: Status = Status(1);
    /// The client has it already.
    pub const YOURS: Status = Status(2);
    /// The client does not have it.
    pub const NOT_YOURS: Status = Status(3);
    /// As many wait as can.
    pub const TOO_MANY_WAIT: Status = Status(4);
    /// Another client had it until the deadline.
    pub const TIMED_OUT: Status = Status(5);
    /// A signal waits for the client.
    pub const INTERRUPTED: Status = Status(6);
}

/// Why a key was not borrowed or given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// There is no such key.
    NoSuchKey,
    /// This process has it already.
    Yours,
    /// This process does not have it.
    NotYours,
    /// As many of this process wait as can.
    TooManyWait,
    /// Another process had it until the deadline.
    TimedOut,
    /// A signal was handled meanwhile.
    Interrupted,
    /// The keeper has ended: nobody has a key any more.
    KeeperEnded,
    /// Something else.
    Other(Status),
}

/// A connection to the keeper.
pub struct Keys(Connection);

impl Keys {
    /// The keeper, as soon as there is one. Blocks until then.
    ///
    /// # Errors
    /// As [`Names::locate_until`].
    pub fn find() -> Result<Keys, NameError> {
        let found = Names::connect()?.locate_until("/keys", Deadline::None)?;
        Ok(Keys(found.connection))
    }

    /// Borrows a key. Blocks until nobody else has it, or until the deadline.
    ///
    /// # Errors
    /// [`KeyError`], but for [`KeyError::NotYours`].
    pub fn borrow(&self, key: u32, deadline: impl Into<Deadline>) -> Result<(), KeyError> {
        self.ask(operation::BORROW, key, deadline.into())
    }

    /// Gives it back. Blocks only until the keeper has taken it.
    ///
    /// # Errors
    /// [`KeyError::NoSuchKey`], [`KeyError::NotYours`], [`KeyError::KeeperEnded`].
    pub fn give_back(&self, key: u32) -> Result<(), KeyError> {
        self.ask(operation::GIVE_BACK, key, Deadline::None)
    }

    fn ask(&self, operation: u32, key: u32, deadline: Deadline) -> Result<(), KeyError> {
        let reply = self.0.send_words_until([operation, key], deadline);
        match reply.map(|reply| reply.status) {
            Ok(Status::OK) => Ok(()),
            Ok(status::NO_SUCH_KEY) => Err(KeyError::NoSuchKey),
            Ok(status::YOURS) => Err(KeyError::Yours),
            Ok(status::NOT_YOURS) => Err(KeyError::NotYours),
            Ok(status::TOO_MANY_WAIT) => Err(KeyError::TooManyWait),
            Ok(status::TIMED_OUT) | Err(Error::TimedOut) => Err(KeyError::TimedOut),
            Ok(status::INTERRUPTED) | Err(Error::Interrupted) => Err(KeyError::Interrupted),
            Ok(other) => Err(KeyError::Other(other)),
            Err(_) => Err(KeyError::KeeperEnded),
        }
    }
}
