//! Names of services: the client's part.
//!
//! A server registers a path for its channel, a client locates it and gets a connection, as the manifest allows both.
//! Which process serves it, nobody else has to know.
//!
//! ```no_run
//! use riposte_names::{NameError, Names};
//!
//! fn serve() -> Result<(), NameError> {
//!     riposte_names::register("/dev/thermometer", riposte::own_channel().unwrap())    // in one process
//! }
//!
//! fn ask() -> Result<u32, NameError> {
//!     let found = Names::connect()?.locate("/dev/thermometer")?;              // in another
//!     let answer = found.connection.send_words([1]).map_err(NameError::Kernel)?;
//!     let [degrees, ..] = answer.words;
//!     Ok(degrees)
//! }
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod error;
pub mod protocol;

pub use error::NameError;

use protocol::{ARGUMENT_SHIFT, LONGEST_NAME, LONGEST_PATH, REQUEST, operation};
use riposte::abi::MESSAGE_BYTES;
use riposte::abi::process_info::kind;
use riposte::{Channel, ConnectError, Connection, Deadline, Error, Status};

/// The notification bit that each registered channel gets when the names server has begun anew.
pub use protocol::ANEW;

/// A connection to the names server.
#[derive(Debug)]
pub struct Names {
    connection: Connection,
}

/// What a path leads to.
#[derive(Debug)]
pub struct Found {
    /// A connection to who has registered the name. It takes a handle until it is closed.
    pub connection: Connection,
    /// Bytes of the path that are the name. The rest is for who has registered it.
    pub covered: usize,
    /// The badge of the process that has registered it: 0x7FFFFF00 and its position in the manifest.
    pub owner: u32,
}

/// A name in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    name: [u8; LONGEST_NAME],
    length: usize,
    /// Where the list goes on.
    pub next: u16,
}

impl Listed {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.name.get(..self.length).unwrap_or_default();
        core::str::from_utf8(name).unwrap_or_default()
    }
}

/// How often the names that this process may find have changed, in one life of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes(u32);

/// Gives `name` to a channel of this process, as [`Names::register`] does, in the life that the names server has now. A
/// server does so when it begins, and whenever the channel gets the notification bit [`ANEW`]. Waits only for the server.
///
/// That the names server is not there, or ends meanwhile, is no error: the bit comes with its next life.
///
/// # Errors
/// [`NameError::Connect`] if this process has no `registers` in the manifest; else as [`Names::register`].
pub fn register(name: &str, channel: Channel) -> Result<(), NameError> {
    loop {
        let names = Names::connect();
        match names.and_then(|names| names.register(name, channel)) {
            Err(
                NameError::Connect(ConnectError::Kernel(Error::ServerDied))
                | NameError::Kernel(Error::ServerDied),
            ) => return Ok(()),
            // A signal was handled; who has the name already may have it again.
            Err(NameError::Kernel(Error::Interrupted)) => {}
            done => return done,
        }
    }
}

impl Names {
    /// The names server of the manifest. Never blocks.
    ///
    /// # Errors
    /// [`NameError::Connect`] if this process has neither `registers` nor `finds` in the manifest.
    pub fn connect() -> Result<Names, NameError> {
        let connection = riposte::connect("names").map_err(NameError::Connect)?;
        Ok(Names { connection })
    }

    /// Connects again, to a server that has begun anew: it knows no names until they are registered again.
    ///
    /// # Errors
    /// [`NameError::Kernel`].
    pub fn reconnect(&mut self) -> Result<(), NameError> {
        self.connection.reconnect().map_err(NameError::Kernel)
    }

    /// Gives `name` to a channel of this process, until it gives the name up or ends. A name that it has already is
    /// given to this channel. Waits only for the server.
    ///
    /// When the server begins anew, the channel gets the notification bit [`ANEW`]: names are to be registered again
    /// then, by [`register`] or after [`Names::reconnect`].
    ///
    /// # Errors
    /// [`NameError::BadName`], [`NameError::NotAllowed`], [`NameError::Taken`], [`NameError::TooMany`];
    /// [`NameError::Kernel`] if the server can't be asked.
    pub fn register(&self, name: &str, channel: Channel) -> Result<(), NameError> {
        let mut own = riposte::manifest_entries(kind::CHANNEL);
        let position = own.position(|(handle, _)| handle == channel.handle());
        let position = position.ok_or(NameError::BadRequest)? as u32;
        let word = operation::REGISTER | position << ARGUMENT_SHIFT;
        self.call(word, name.as_bytes(), &mut [], Deadline::None)?;
        Ok(())
    }

    /// Gives a name up. Who has located it keeps the connection. Waits only for the server.
    ///
    /// # Errors
    /// [`NameError::BadName`]; [`NameError::NoSuchName`] if it is none of this process;
    /// [`NameError::Kernel`] if the server can't be asked.
    pub fn unregister(&self, name: &str) -> Result<(), NameError> {
        self.call(
            operation::UNREGISTER,
            name.as_bytes(),
            &mut [],
            Deadline::None,
        )?;
        Ok(())
    }

    /// What the path leads to: of the names that this process may find, the longest one that is the path or a folder
    /// above it. Waits only for the server.
    ///
    /// # Errors
    /// [`NameError::NoSuchName`] if nobody has registered one, or its owner has ended; [`NameError::NotAllowed`] if
    /// this process could find none whatever is registered; [`NameError::BadName`] for a path that does not begin with
    /// `/`, has a zero or more than 64 bytes; [`NameError::NoHandles`]; [`NameError::Kernel`] if the server can't be
    /// asked.
    pub fn locate(&self, path: &str) -> Result<Found, NameError> {
        self.locate_by(path, Deadline::None)
    }

    /// As [`Names::locate`], and waits for the server until `deadline` at most.
    ///
    /// # Errors
    /// [`NameError::TimedOut`] if the server has not answered by then; else as [`Names::locate`].
    pub fn locate_by(&self, path: &str, deadline: impl Into<Deadline>) -> Result<Found, NameError> {
        self.find(operation::LOCATE | operation::TRY, path, deadline.into())
    }

    /// As [`Names::locate`], and waits until there is such a name.
    ///
    /// # Errors
    /// [`NameError::TimedOut`]; [`NameError::TooManyWait`]; else as [`Names::locate`].
    pub fn locate_until(
        &self,
        path: &str,
        deadline: impl Into<Deadline>,
    ) -> Result<Found, NameError> {
        let (flag, deadline) = patience(deadline.into());
        self.find(operation::LOCATE | flag, path, deadline)
    }

    // Most callers' deadline is known when they are built, and takes no code then.
    #[inline]
    fn find(&self, word: u32, path: &str, deadline: Deadline) -> Result<Found, NameError> {
        let path = path.as_bytes();
        let mut rest = [[0; 4]; (MESSAGE_BYTES - REQUEST) / 4];
        let answer = match rest.as_flattened_mut().get_mut(..path.len()) {
            // One that goes in registers is the usual one.
            Some(room) => {
                room.copy_from_slice(path);
                let [second, third, fourth, fifth] = rest.map(u32::from_le_bytes);
                let request = ([word, second, third, fourth, fifth], REQUEST + path.len());
                self.connection
                    .send_packed_for_handle_until(request, deadline)
            }
            None => {
                let mut room = [0; REQUEST + LONGEST_PATH];
                let request = lay_out(&mut room, word, path)?;
                self.connection
                    .send_bytes_for_handle_until(request, deadline)
            }
        };
        let (reply, connection) = answer.map_err(NameError::from_kernel)?;
        let [covered, owner, ..] = reply.words;
        match (reply.status, connection) {
            (Status::OK, Some(connection)) => Ok(Found {
                connection,
                covered: covered as usize,
                owner,
            }),
            (Status::OK, None) => Err(NameError::BadRequest),
            (status, _) => Err(NameError::from_status(status)),
        }
    }

    /// The first name that is `folder`, or below it, from a place on; 0 is the first. A name keeps its place as long as
    /// it is registered. Waits only for the server.
    ///
    /// # Errors
    /// [`NameError::Kernel`] if the server can't be asked.
    pub fn list(&self, folder: &str, from: u16) -> Result<Option<Listed>, NameError> {
        let word = operation::LIST | u32::from(from) << ARGUMENT_SHIFT;
        let mut answer = [0; 4 + LONGEST_NAME];
        let length = match self.call(word, folder.as_bytes(), &mut answer, Deadline::None) {
            Err(NameError::NoSuchName) => return Ok(None),
            length => length?,
        };
        let [a, b, c, d, name @ ..] = answer;
        let next = u16::try_from(u32::from_le_bytes([a, b, c, d])).ok();
        // Each name is behind the one before: else whoever asks on would come to no end.
        let next = next.filter(|next| *next > from);
        match (next, length.checked_sub(4)) {
            (Some(next), Some(length)) => Ok(Some(Listed { name, length, next })),
            _ => Err(NameError::Other(Status::OK)),
        }
    }

    /// Waits until the names that this process may find have changed since it has `seen` them; returns what it sees
    /// now. [`Changes::default`] is before all, so that it returns at once: then look at the names, and watch.
    ///
    /// # Errors
    /// [`NameError::TimedOut`]; [`NameError::TooManyWait`]; [`NameError::Kernel`] if the server can't be asked.
    pub fn watch(
        &self,
        seen: Changes,
        deadline: impl Into<Deadline>,
    ) -> Result<Changes, NameError> {
        let (flag, deadline) = patience(deadline.into());
        let mut answer = [0; 4];
        let seen = seen.0.to_le_bytes();
        match self.call(operation::WATCH | flag, &seen, &mut answer, deadline)? {
            4 => Ok(Changes(u32::from_le_bytes(answer))),
            _ => Err(NameError::Other(Status::OK)),
        }
    }

    /// Sends a request with `bytes` behind the word; the length of the answer.
    fn call(
        &self,
        word: u32,
        bytes: &[u8],
        answer: &mut [u8],
        deadline: Deadline,
    ) -> Result<usize, NameError> {
        let mut request = [0; REQUEST + LONGEST_PATH];
        let request = lay_out(&mut request, word, bytes)?;
        let reply = self.connection.send_until(request, answer, deadline);
        let reply = reply.map_err(NameError::from_kernel)?;
        match reply.status {
            Status::OK => Ok(reply.len),
            status => Err(NameError::from_status(status)),
        }
    }
}

/// Who does not want to wait says so to the server, and waits for its answer: a deadline that has passed would end the
/// call before the server could look.
fn patience(deadline: Deadline) -> (u32, Deadline) {
    match deadline {
        Deadline::Immediate => (operation::TRY, Deadline::None),
        deadline => (0, deadline),
    }
}

/// The request, in `room`.
fn lay_out<'a>(room: &'a mut [u8], word: u32, bytes: &[u8]) -> Result<&'a [u8], NameError> {
    let length = REQUEST + bytes.len();
    let request = room.get_mut(..length).ok_or(NameError::BadName)?;
    let (first, rest) = request.split_at_mut(REQUEST);
    first.copy_from_slice(&word.to_le_bytes());
    rest.copy_from_slice(bytes);
    Ok(request)
}
