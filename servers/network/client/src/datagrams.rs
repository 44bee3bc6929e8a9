//! Datagrams (UDP).

use core::net::SocketAddr;

use riposte::{Deadline, PartMut};

use crate::protocol::{ADDRESS, REQUEST, operation};
use crate::{Network, NetworkError, address, answered, request, within};

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
        let mut head = [0; REQUEST + ADDRESS];
        let (what, place) = head.split_at_mut(REQUEST);
        what.copy_from_slice(&request(operation, self.number));
        place.copy_from_slice(&address::to_bytes(to));
        let done = self.network.ask([&head, bytes], &mut [], deadline);
        done.map(drop)
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
        let (operation, deadline) = within(operation::RECEIVE_FROM, deadline.into());
        let [a, b, c, d, e, f, g, h] = request(operation, self.number);
        let most = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let [i, j, k, l] = most.to_le_bytes();
        let request = [a, b, c, d, e, f, g, h, i, j, k, l];
        let mut head = [0; ADDRESS + 4];
        let answer = &mut [PartMut::new(&mut head), PartMut::new(bytes)];
        let connection = &self.network.connection;
        let length = answered(connection.send_scattered_until(&request, answer, deadline)?)?;
        let (from, whole) = head.split_at(ADDRESS);
        match (address::from_bytes(from), whole.first_chunk()) {
            (Some(from), Some(whole)) if length >= head.len() => {
                Ok((u32::from_le_bytes(*whole) as usize, from))
            }
            _ => Err(NetworkError::Garbled),
        }
    }
}

impl Drop for Port<'_> {
    fn drop(&mut self) {
        self.network.close(self.number);
    }
}
