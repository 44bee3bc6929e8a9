//! Datagrams (UDP).

use core::net::SocketAddr;

use riposte::{Deadline, Error, PartMut};

use crate::protocol::{ADDRESS, REQUEST, operation};
use crate::{Network, NetworkError, address, answered, request, within};

/// Bytes before a datagram that is sent or received in one piece with what the network server is asked and answers.
pub const BEFORE: usize = REQUEST + ADDRESS;

/// Bytes of an answer before the datagram: where it comes from, and how many bytes it had.
const HEAD: usize = ADDRESS + 4;

/// A UDP port. Dropped, it is given up.
#[derive(Debug)]
pub struct Port<'a> {
    network: &'a Network,
    number: u32,
    port: u16,
    keeps: u32,
}

impl<'a> Port<'a> {
    pub(crate) fn new(network: &'a Network, number: u32, port: u16, keeps: u32) -> Port<'a> {
        Port {
            network,
            number,
            port,
            keeps,
        }
    }

    /// Which one it is.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// How many datagrams of the longest the server keeps until [`Port::receive_from`] takes them; those that come then are lost.
    #[must_use]
    pub const fn keeps(&self) -> usize {
        self.keeps as usize
    }

    /// From here on it takes what comes from this address alone, or with none from anybody again: what has come from others and
    /// was not taken is gone.
    ///
    /// # Errors
    /// [`NetworkError::Unreachable`] if the network has no addresses of that kind, [`NetworkError::ServerDied`].
    pub fn set_peer(&self, peer: Option<SocketAddr>) -> Result<(), NetworkError> {
        let head = request(operation::SET_PEER, self.number);
        let peer = peer.map(address::to_bytes);
        let peer = peer.as_ref().map_or(&[][..], |it| &it[..]);
        let done = self.network.ask([&head, peer], &mut [], Deadline::None);
        done.map(drop)
    }

    /// Sends a datagram, at most [`crate::protocol::LONGEST`] bytes. Whether it arrives nobody says. Waits for room.
    ///
    /// # Errors
    /// [`NetworkError::TooLong`], [`NetworkError::Unreachable`], [`NetworkError::ServerDied`].
    pub fn send_to(&self, to: SocketAddr, bytes: &[u8]) -> Result<(), NetworkError> {
        self.send_to_until(to, bytes, Deadline::None)
    }

    /// As [`Port::send_to`], until `deadline`.
    ///
    /// # Errors
    /// [`NetworkError::TimedOut`], [`NetworkError::WouldBlock`]; and as [`Port::send_to`].
    pub fn send_to_until(
        &self,
        to: SocketAddr,
        bytes: &[u8],
        deadline: impl Into<Deadline>,
    ) -> Result<(), NetworkError> {
        let (operation, deadline) = within(operation::SEND_TO, deadline.into());
        let mut head = [0; BEFORE];
        self.ask_to_send(operation, to, &mut head);
        let done = self.network.ask([&head, bytes], &mut [], deadline);
        done.map(drop)
    }

    /// As [`Port::send_to_until`], of what is behind the first [`BEFORE`] bytes, which are overwritten: all goes in one piece, which is
    /// less work.
    ///
    /// # Errors
    /// `Kernel(BadArgument)` if there are fewer bytes; else as [`Port::send_to_until`].
    pub fn send_behind_until(
        &self,
        to: SocketAddr,
        bytes: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<(), NetworkError> {
        let (operation, deadline) = within(operation::SEND_TO, deadline.into());
        let head = bytes.first_chunk_mut().ok_or(Error::BadArgument)?;
        self.ask_to_send(operation, to, head);
        let done = self.network.ask([bytes], &mut [], deadline);
        done.map(drop)
    }

    fn ask_to_send(&self, operation: u32, to: SocketAddr, head: &mut [u8; BEFORE]) {
        let (what, place) = head.split_at_mut(REQUEST);
        what.copy_from_slice(&request(operation, self.number));
        place.copy_from_slice(&address::to_bytes(to));
    }

    /// Waits for a datagram: how many bytes it had, and where it comes from. What `bytes` have no room for is gone.
    ///
    /// # Errors
    /// [`NetworkError::TooManyWait`], [`NetworkError::ServerDied`].
    pub fn receive_from(&self, bytes: &mut [u8]) -> Result<(usize, SocketAddr), NetworkError> {
        self.receive_from_until(bytes, Deadline::None)
    }

    /// As [`Port::receive_from`], until `deadline`.
    ///
    /// # Errors
    /// [`NetworkError::TimedOut`], [`NetworkError::WouldBlock`]; and as [`Port::receive_from`].
    pub fn receive_from_until(
        &self,
        bytes: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<(usize, SocketAddr), NetworkError> {
        let mut head = [0; HEAD];
        let most = bytes.len();
        let answer = &mut [PartMut::new(&mut head), PartMut::new(bytes)];
        let length = self.ask_for_one(most, answer, deadline.into())?;
        received(length, &head)
    }

    /// As [`Port::receive_from_until`], to behind the first [`BEFORE`] bytes, which may be overwritten: all comes in one piece, which is
    /// less work.
    ///
    /// # Errors
    /// `Kernel(BadArgument)` if there are fewer bytes; else as [`Port::receive_from_until`].
    pub fn receive_behind_until(
        &self,
        bytes: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<(usize, SocketAddr), NetworkError> {
        let most = bytes.len().checked_sub(BEFORE);
        let most = most.ok_or(Error::BadArgument)?;
        let (_, bytes) = bytes.split_at_mut(BEFORE - HEAD);
        let length = self.ask_for_one(most, &mut [PartMut::new(bytes)], deadline.into())?;
        received(length, bytes)
    }

    /// Asks for a datagram, and for how many of its bytes there is room: how many bytes the answer has.
    fn ask_for_one(
        &self,
        most: usize,
        answer: &mut [PartMut<'_>],
        deadline: Deadline,
    ) -> Result<usize, NetworkError> {
        let (operation, deadline) = within(operation::RECEIVE_FROM, deadline);
        let [a, b, c, d, e, f, g, h] = request(operation, self.number);
        let [i, j, k, l] = u32::try_from(most).unwrap_or(u32::MAX).to_le_bytes();
        let request = [a, b, c, d, e, f, g, h, i, j, k, l];
        let connection = &self.network.connection;
        answered(connection.send_scattered_until(&request, answer, deadline)?)
    }
}

/// How many bytes a datagram had, and where it comes from, by the beginning of the answer.
fn received(length: usize, answer: &[u8]) -> Result<(usize, SocketAddr), NetworkError> {
    let head = answer.first_chunk::<HEAD>().filter(|_| length >= HEAD);
    let head = head.and_then(|it| it.split_last_chunk());
    let (from, whole) = head.ok_or(NetworkError::Garbled)?;
    let from = address::from_bytes(from).ok_or(NetworkError::Garbled)?;
    Ok((u32::from_le_bytes(*whole) as usize, from))
}

impl Drop for Port<'_> {
    fn drop(&mut self) {
        self.network.close(self.number);
    }
}
