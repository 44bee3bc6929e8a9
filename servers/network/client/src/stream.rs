//! Streams (TCP).

use core::net::SocketAddr;

use riposte::Deadline;

use crate::protocol::{ADDRESS, operation};
use crate::{Network, NetworkError, address, number, request, within};

/// Who waits for clients of a port. Dropped, it waits no more; who came and was not accepted is sent away.
#[derive(Debug)]
pub struct Listener<'a> {
    network: &'a Network,
    number: u32,
}

/// A connection with somebody elsewhere. Dropped, it is closed: the other side gets what was written, if it still reads.
#[derive(Debug)]
pub struct Stream<'a> {
    network: &'a Network,
    number: u32,
}

impl<'a> Listener<'a> {
    pub(crate) fn new(network: &'a Network, number: u32) -> Listener<'a> {
        Listener { network, number }
    }

    /// Waits for somebody to come: the connection, and from where it comes.
    ///
    /// # Errors
    /// [`NetworkError::TooManyWait`], [`NetworkError::ServerDied`].
    pub fn accept(&self) -> Result<(Stream<'a>, SocketAddr), NetworkError> {
        self.accept_until(Deadline::None)
    }

    /// As [`Listener::accept`], until `deadline`.
    ///
    /// # Errors
    /// [`NetworkError::TimedOut`], [`NetworkError::WouldBlock`]; and as [`Listener::accept`].
    pub fn accept_until(
        &self,
        deadline: impl Into<Deadline>,
    ) -> Result<(Stream<'a>, SocketAddr), NetworkError> {
        let (operation, deadline) = within(operation::ACCEPT, deadline.into());
        let head = request(operation, self.number);
        let mut answer = [0; 4 + ADDRESS];
        let length = self.network.ask([&head], &mut answer, deadline)?;
        let [a, b, c, d, from @ ..] = answer;
        let stream = Stream::new(self.network, u32::from_le_bytes([a, b, c, d]));
        match address::from_bytes(&from) {
            Some(from) if length == answer.len() => Ok((stream, from)),
            _ => Err(NetworkError::Garbled),
        }
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        self.network.close(self.number);
    }
}

impl<'a> Stream<'a> {
    pub(crate) fn new(network: &'a Network, number: u32) -> Stream<'a> {
        Stream { network, number }
    }

    /// Waits until the other side has answered.
    pub(crate) fn connected(&self, deadline: Deadline) -> Result<(), NetworkError> {
        let (operation, deadline) = within(operation::CONNECTED, deadline);
        let head = request(operation, self.number);
        let mut both = [0; 2 * ADDRESS];
        match self.network.ask([&head], &mut both, deadline)? {
            length if length == both.len() => Ok(()),
            _ => Err(NetworkError::Garbled),
        }
    }

    /// Reads what has come, as soon as something has: how many bytes. 0 is the end.
    ///
    /// # Errors
    /// [`NetworkError::Reset`], [`NetworkError::TooManyWait`], [`NetworkError::ServerDied`].
    pub fn read(&self, bytes: &mut [u8]) -> Result<usize, NetworkError> {
        self.read_until(bytes, Deadline::None)
    }

    /// As [`Stream::read`], until `deadline`.
    ///
    /// # Errors
    /// [`NetworkError::TimedOut`], [`NetworkError::WouldBlock`]; and as [`Stream::read`].
    pub fn read_until(
        &self,
        bytes: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<usize, NetworkError> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let (operation, deadline) = within(operation::READ, deadline.into());
        let head = request(operation, self.number);
        let most = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
        self.network.ask([&head, &most], bytes, deadline)
    }

    /// Writes as many bytes as there is room for, as soon as there is some: how many. They have been taken, and not yet
    /// arrived.
    ///
    /// # Errors
    /// [`NetworkError::Ended`], [`NetworkError::Reset`], [`NetworkError::TooManyWait`], [`NetworkError::ServerDied`].
    pub fn write(&self, bytes: &[u8]) -> Result<usize, NetworkError> {
        self.write_until(bytes, Deadline::None)
    }

    /// As [`Stream::write`], until `deadline`.
    ///
    /// # Errors
    /// [`NetworkError::TimedOut`], [`NetworkError::WouldBlock`]; and as [`Stream::write`].
    pub fn write_until(
        &self,
        bytes: &[u8],
        deadline: impl Into<Deadline>,
    ) -> Result<usize, NetworkError> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let (operation, deadline) = within(operation::WRITE, deadline.into());
        let head = request(operation, self.number);
        let mut taken = [0; 4];
        let length = self.network.ask([&head, bytes], &mut taken, deadline)?;
        let taken = number(&taken, length)? as usize;
        // Those who write all go by it, and of none they would come to no end.
        if (1..=bytes.len()).contains(&taken) {
            Ok(taken)
        } else {
            Err(NetworkError::Garbled)
        }
    }

    /// Writes all of the bytes: waits for ever for another side that takes none.
    ///
    /// # Errors
    /// As [`Stream::write`]: some of them may have been written.
    pub fn write_all(&self, bytes: &[u8]) -> Result<(), NetworkError> {
        self.write_all_until(bytes, Deadline::None)
    }

    /// As [`Stream::write_all`], until `deadline`.
    ///
    /// # Errors
    /// [`NetworkError::TimedOut`], [`NetworkError::WouldBlock`]; and as [`Stream::write_all`].
    pub fn write_all_until(
        &self,
        bytes: &[u8],
        deadline: impl Into<Deadline>,
    ) -> Result<(), NetworkError> {
        let deadline = deadline.into();
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = self.write_until(rest, deadline)?;
            rest = rest.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    /// Says that nothing more is written: the other side finds the end behind what was.
    ///
    /// # Errors
    /// [`NetworkError::ServerDied`].
    pub fn finish(&self) -> Result<(), NetworkError> {
        let head = request(operation::FINISH, self.number);
        let done = self.network.ask([&head], &mut [], Deadline::None);
        done.map(drop)
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        self.network.close(self.number);
    }
}

impl embedded_io::ErrorType for Stream<'_> {
    type Error = NetworkError;
}

impl embedded_io::Read for Stream<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, NetworkError> {
        Stream::read(self, bytes)
    }
}

impl embedded_io::Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, NetworkError> {
        Stream::write(self, bytes)
    }

    fn flush(&mut self) -> Result<(), NetworkError> {
        Ok(())
    }
}
