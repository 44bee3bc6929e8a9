//! Sockets: the client's part.
//!
//! A process reaches the network by the network server, to which its manifest gives it a connection. A [`Stream`] (TCP)
//! carries bytes in order, both ways; a [`Port`] (UDP) datagrams, each by itself, which may be lost.
//!
//! ```no_run
//! use riposte_network::{Network, NetworkError};
//!
//! fn echo() -> Result<(), NetworkError> {
//!     let network = Network::connect("network")?;
//!     let listener = network.listen(7, 2)?;
//!     loop {
//!         let (stream, _from) = listener.accept()?;
//!         let mut bytes = [0; 256];
//!         loop {
//!             match stream.read(&mut bytes)? {
//!                 0 => break,
//!                 length => stream.write_all(&bytes[..length])?,
//!             }
//!         }
//!     }
//! }
//! ```
//!
//! What waits, waits until its deadline; a call without one, for ever. If the server ends, all sockets are gone: every call
//! says [`NetworkError::ServerDied`].
#![no_std]
#![forbid(unsafe_code)]

pub mod address;
mod datagrams;
mod error;
#[cfg(feature = "embedded-nal")]
pub mod nal;
mod names;
pub mod protocol;
mod state;
mod stream;

pub use datagrams::{BEFORE, Port};
pub use error::NetworkError;
pub use names::{Addresses, Question};
pub use state::State;
pub use stream::{Listener, Stream};

use core::net::{IpAddr, SocketAddr};

use protocol::{REQUEST, STATE_BYTES, operation};
use riposte::{ConnectError, Connection, Deadline, Duration, Error, Reply, Status};

/// How long a client waits before it looks again whether the server has a next life.
const PAUSE: Duration = Duration::from_millis(1);

/// A connection to the network server.
#[derive(Debug)]
pub struct Network {
    connection: Connection,
}

impl Network {
    /// The server to which the manifest gives this process a connection of that name. Waits for one that is starting
    /// again.
    ///
    /// # Errors
    /// [`NetworkError::Connect`].
    pub fn connect(name: &'static str) -> Result<Network, NetworkError> {
        loop {
            match riposte::connect(name) {
                Ok(connection) => return Ok(Network { connection }),
                Err(ConnectError::Kernel(Error::ServerDied)) => pause(),
                Err(error) => return Err(NetworkError::Connect(error)),
            }
        }
    }

    /// Waits for the server's next life, after [`NetworkError::ServerDied`]. It has no sockets of this process: nobody can
    /// hold one here.
    ///
    /// # Errors
    /// [`NetworkError::Kernel`].
    pub fn reconnect(&mut self) -> Result<(), NetworkError> {
        loop {
            match self.connection.reconnect() {
                Ok(()) => return Ok(()),
                Err(Error::ServerDied) => pause(),
                Err(error) => return Err(NetworkError::Kernel(error)),
            }
        }
    }

    /// Waits for clients of a TCP port, over IPv4 or IPv6, of whom at most `backlog` (1 to [`protocol::BACKLOG`]) may have come and not been
    /// accepted. Each takes a stream of this process's share. Does not wait for anybody.
    ///
    /// # Errors
    /// [`NetworkError::InUse`], [`NetworkError::TooMany`], [`NetworkError::Invalid`].
    pub fn listen(&self, port: u16, backlog: usize) -> Result<Listener<'_>, NetworkError> {
        let backlog = u32::try_from(backlog).unwrap_or(u32::MAX);
        let number = self.ask_word(operation::LISTEN, port.into(), &backlog.to_le_bytes())?;
        Ok(Listener::new(self, number))
    }

    /// Connects to somebody else's port. Waits for the other side: for a minute at most.
    ///
    /// # Errors
    /// [`NetworkError::Refused`] if nobody is there, or says nothing, [`NetworkError::Unreachable`],
    /// [`NetworkError::TooMany`].
    pub fn stream(&self, to: SocketAddr) -> Result<Stream<'_>, NetworkError> {
        self.stream_until(to, Deadline::None)
    }

    /// As [`Network::stream`], until `deadline`.
    ///
    /// # Errors
    /// [`NetworkError::TimedOut`]; and as [`Network::stream`].
    pub fn stream_until(
        &self,
        to: SocketAddr,
        deadline: impl Into<Deadline>,
    ) -> Result<Stream<'_>, NetworkError> {
        let deadline = deadline.into();
        // From here on it is closed if the other side does not come.
        let stream = self.begin(to, deadline)?;
        stream.connected(deadline)?;
        Ok(stream)
    }

    /// Begins to go to somebody else's port: [`Stream::connected`] says what came of it.
    fn begin(&self, to: SocketAddr, deadline: Deadline) -> Result<Stream<'_>, NetworkError> {
        let address = address::to_bytes(to);
        let (operation, deadline) = within(operation::CONNECT, deadline);
        let head = request(operation, 0);
        let mut word = [0; 4];
        let length = self.ask([&head, &address], &mut word, deadline)?;
        Ok(Stream::new(self, number(&word, length)?))
    }

    /// Takes a UDP port, of IPv4 and IPv6: any that is free, if `port` is 0.
    ///
    /// # Errors
    /// [`NetworkError::InUse`], [`NetworkError::TooMany`].
    pub fn bind(&self, port: u16) -> Result<Port<'_>, NetworkError> {
        let head = request(operation::BIND, port.into());
        let mut words = [0; 12];
        let length = self.ask([&head], &mut words, Deadline::None)?;
        let ([number, port, keeps], 12) = (words.as_chunks::<4>().0, length) else {
            return Err(NetworkError::Garbled);
        };
        let port = u32::from_le_bytes(*port).try_into();
        let port = port.map_err(|_| NetworkError::Garbled)?;
        let [number, keeps] = [number, keeps].map(|it| u32::from_le_bytes(*it));
        Ok(Port::new(self, number, port, keeps))
    }

    /// Has a host send back so many bytes (an echo of ICMP, `ping`): how long they took. Waits for them, 10 s at most. Some hosts
    /// send none.
    ///
    /// # Errors
    /// [`NetworkError::TimedOut`] if nothing comes back, [`NetworkError::Unreachable`] if there is no way to that host, or somebody on
    /// the way says so, [`NetworkError::TooLong`] of what is longer than a datagram, [`NetworkError::TooMany`] and
    /// [`NetworkError::TooManyWait`] if this process waits for as many as it may: for none, unless the manifest says so.
    pub fn ping(&self, host: IpAddr, bytes: usize) -> Result<Duration, NetworkError> {
        self.ping_until(host, bytes, Deadline::None)
    }

    /// As [`Network::ping`], until `deadline`.
    ///
    /// # Errors
    /// [`NetworkError::WouldBlock`] at once of each host; and as [`Network::ping`].
    pub fn ping_until(
        &self,
        host: IpAddr,
        bytes: usize,
        deadline: impl Into<Deadline>,
    ) -> Result<Duration, NetworkError> {
        let (operation, deadline) = within(operation::PING, deadline.into());
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let head = request(operation, bytes);
        let address = address::to_bytes(SocketAddr::new(host, 0));
        let mut took = [0; 4];
        let length = self.ask([&head, &address], &mut took, deadline)?;
        Ok(Duration::from_micros(number(&took, length)?.into()))
    }

    /// What the server knows of the network.
    ///
    /// # Errors
    /// [`NetworkError::ServerDied`], [`NetworkError::Garbled`].
    pub fn state(&self) -> Result<State, NetworkError> {
        let head = request(operation::STATE, 0);
        let mut bytes = [0; STATE_BYTES];
        let length = self.ask([&head], &mut bytes, Deadline::None)?;
        State::of(&bytes)
            .filter(|_| length == STATE_BYTES)
            .ok_or(NetworkError::Garbled)
    }

    /// A request whose answer is a word.
    fn ask_word(&self, operation: u32, about: u32, more: &[u8]) -> Result<u32, NetworkError> {
        let head = request(operation, about);
        let mut word = [0; 4];
        let length = self.ask([&head, more], &mut word, Deadline::None)?;
        number(&word, length)
    }

    /// Asks; how many bytes the answer has.
    fn ask<const N: usize>(
        &self,
        request: [&[u8]; N],
        answer: &mut [u8],
        deadline: Deadline,
    ) -> Result<usize, NetworkError> {
        let connection = &self.connection;
        answered(connection.send_pieces_until(request, answer, deadline)?)
    }

    /// Gives up a socket. Nobody can do anything about one that cannot be; but a signal may have ended the call before
    /// the server had it.
    fn close(&self, number: u32) {
        let head = request(operation::CLOSE, number);
        let interrupted = Err(NetworkError::Kernel(Error::Interrupted));
        while self.ask([&head], &mut [], Deadline::None) == interrupted {}
    }
}

/// How many bytes an answer has.
fn answered(reply: Reply) -> Result<usize, NetworkError> {
    match reply.status {
        Status::OK => Ok(reply.len),
        status => Err(NetworkError::of(status)),
    }
}

/// The beginning of a request that waits until a deadline: one that is asked to do it at once does not reach it.
fn within(operation: u32, deadline: Deadline) -> (u32, Deadline) {
    match deadline {
        Deadline::Immediate => (operation | operation::TRY, Deadline::None),
        deadline => (operation, deadline),
    }
}

/// The beginning of a request.
fn request(operation: u32, about: u32) -> [u8; REQUEST] {
    let ([a, b, c, d], [e, f, g, h]) = (operation.to_le_bytes(), about.to_le_bytes());
    [a, b, c, d, e, f, g, h]
}

/// The word that an answer is.
fn number(bytes: &[u8; 4], length: usize) -> Result<u32, NetworkError> {
    if length == bytes.len() {
        Ok(u32::from_le_bytes(*bytes))
    } else {
        Err(NetworkError::Garbled)
    }
}

/// Lets a supervisor start the server again. A sleep that fails is none, and only costs time.
fn pause() {
    let _ = riposte::sleep(PAUSE);
}
