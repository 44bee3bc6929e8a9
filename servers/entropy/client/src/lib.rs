//! Random bytes: the client's part.
//!
//! A server has the board's source of them, and a process reaches it by the connection that its manifest gives it.
//!
//! ```no_run
//! use riposte_entropy::{Entropy, EntropyError};
//!
//! fn key() -> Result<[u8; 32], EntropyError> {
//!     let mut key = [0; 32];
//!     Entropy::connect("entropy")?.fill(&mut key)?;
//!     Ok(key)
//! }
//! ```
//!
//! A call waits for the server, and for those whom this serves before. If the server ends meanwhile, the call waits for its
//! next life.
#![no_std]
#![forbid(unsafe_code)]

pub mod protocol;

use core::fmt;

use protocol::{LARGEST, operation, status};
use riposte::{ConnectError, Connection, Duration, Error, Status};

/// How long a client waits before it looks again whether its server has a next life.
const PAUSE: Duration = Duration::from_millis(1);

/// The board's source of random bytes.
#[derive(Debug)]
pub struct Entropy {
    connection: Connection,
}

/// Why there are no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntropyError {
    /// The device has failed.
    Io,
    /// The server's answer is none.
    Garbled,
    /// The manifest gives this process no such connection, or it could not be opened.
    Connect(ConnectError),
    /// The kernel's.
    Kernel(Error),
    /// The server says something that this library does not know.
    Other(Status),
}

impl fmt::Display for EntropyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EntropyError::Io => "the source of random bytes has failed",
            EntropyError::Garbled => "the entropy server's answer is none",
            EntropyError::Connect(error) => return fmt::Display::fmt(error, f),
            EntropyError::Kernel(error) => return fmt::Display::fmt(error, f),
            EntropyError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl core::error::Error for EntropyError {}

impl Entropy {
    /// The server to which the manifest gives this process a connection of that name. Waits while the server has ended and
    /// not begun again.
    ///
    /// # Errors
    /// [`EntropyError::Connect`] if the manifest gives it none.
    pub fn connect(name: &'static str) -> Result<Entropy, EntropyError> {
        loop {
            match riposte::connect(name) {
                Ok(connection) => return Ok(Entropy { connection }),
                Err(ConnectError::Kernel(Error::ServerDied)) => pause(),
                Err(error) => return Err(EntropyError::Connect(error)),
            }
        }
    }

    /// Fills `bytes` with random ones, [`LARGEST`] at a time, between which others may be served.
    ///
    /// # Errors
    /// [`EntropyError::Io`] if the device has failed, [`EntropyError::Kernel`] if the server can't be asked. Nothing that
    /// `bytes` hold then is to be used.
    pub fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        for piece in bytes.chunks_mut(LARGEST) {
            self.ask(piece)?;
        }
        Ok(())
    }

    /// One request, of the server's next life too.
    fn ask(&mut self, piece: &mut [u8]) -> Result<(), EntropyError> {
        let expected = piece.len();
        let [a, b, c, d] = operation::FILL.to_le_bytes();
        let [e, f, g, h] = (expected as u32).to_le_bytes();
        loop {
            match self.connection.send(&[a, b, c, d, e, f, g, h], piece) {
                Ok(reply) if reply.status == Status::OK => {
                    return if reply.len == expected {
                        Ok(())
                    } else {
                        Err(EntropyError::Garbled)
                    };
                }
                Ok(reply) if reply.status == status::IO => return Err(EntropyError::Io),
                Ok(reply) => return Err(EntropyError::Other(reply.status)),
                Err(Error::ServerDied) => self.next_life()?,
                Err(error) => return Err(EntropyError::Kernel(error)),
            }
        }
    }

    /// Waits until the server has started again.
    fn next_life(&mut self) -> Result<(), EntropyError> {
        loop {
            match self.connection.reconnect() {
                Ok(()) => return Ok(()),
                Err(Error::ServerDied) => pause(),
                Err(error) => return Err(EntropyError::Kernel(error)),
            }
        }
    }
}

/// A random number, from the server to which the manifest gives this process the connection `entropy`; none if it gives it none.
/// Waits as [`Entropy::fill`].
///
/// # Errors
/// As [`Entropy::fill`].
pub fn number() -> Result<Option<u64>, EntropyError> {
    let mut entropy = match Entropy::connect("entropy") {
        Ok(entropy) => entropy,
        Err(EntropyError::Connect(ConnectError::NotInManifest(_))) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes)?;
    Ok(Some(u64::from_le_bytes(bytes)))
}

/// Lets a supervisor start the server again. A sleep that fails is none, and only costs time.
fn pause() {
    let _ = riposte::sleep(PAUSE);
}
