//! Hosts' names (DNS).

use core::net::{IpAddr, SocketAddr};
use core::ops::Deref;

use riposte::Deadline;

use crate::protocol::{ADDRESS, ADDRESSES, operation};
use crate::{Network, NetworkError, address, request, within};

/// The addresses of a host: one at least, and [`ADDRESSES`] at most, those of IPv6 first, else in the order in which a
/// server of names has told them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    all: [IpAddr; ADDRESSES],
    count: usize,
}

impl Addresses {
    fn of(address: IpAddr) -> Addresses {
        Addresses {
            all: [address; ADDRESSES],
            count: 1,
        }
    }

    /// Those that the server has told.
    fn told(bytes: &[u8]) -> Result<Addresses, NetworkError> {
        let (told, []) = bytes.as_chunks::<ADDRESS>() else {
            return Err(NetworkError::Garbled);
        };
        let [first, ..] = told else {
            return Err(NetworkError::Garbled);
        };
        let first = address::from_bytes(first).ok_or(NetworkError::Garbled)?;
        let mut found = Addresses::of(first.ip());
        for (to, from) in found.all.iter_mut().zip(told) {
            *to = address::from_bytes(from).ok_or(NetworkError::Garbled)?.ip();
        }
        found.count = told.len();
        Ok(found)
    }

    /// The first one, and a port of it.
    #[must_use]
    pub fn first(&self, port: u16) -> SocketAddr {
        let [first, ..] = self.all;
        SocketAddr::new(first, port)
    }
}

impl Deref for Addresses {
    type Target = [IpAddr];

    fn deref(&self) -> &[IpAddr] {
        self.all.get(..self.count).unwrap_or(&self.all)
    }
}

impl Network {
    /// The addresses of a host: `host.example`, or `10.0.2.2` or `fd00::1`, of which nobody is asked. Addresses of IPv4 are asked
    /// for if the board has one itself, and so are those of IPv6 if it has one for elsewhere. Waits until a server of names tells
    /// them: for 20 s at most, or 10 s if there is one server; and 5 s more for the other family.
    ///
    /// # Errors
    /// [`NetworkError::NoSuchName`], [`NetworkError::NameFailed`] if no server answers, or can,
    /// [`NetworkError::Unreachable`] if there is no server of names; [`NetworkError::Invalid`] and
    /// [`NetworkError::TooLong`] of what no host can be called; [`NetworkError::TooMany`] and
    /// [`NetworkError::TooManyWait`] if this process asks for as many names as it may; [`NetworkError::ServerDied`].
    pub fn resolve(&self, name: &str) -> Result<Addresses, NetworkError> {
        self.resolve_until(name, Deadline::None)
    }

    /// As [`Network::resolve`], until `deadline`.
    ///
    /// # Errors
    /// [`NetworkError::TimedOut`]; [`NetworkError::WouldBlock`] at once of each name, as none is kept; and as [`Network::resolve`].
    pub fn resolve_until(
        &self,
        name: &str,
        deadline: impl Into<Deadline>,
    ) -> Result<Addresses, NetworkError> {
        if let Ok(address) = name.parse::<IpAddr>() {
            return Ok(Addresses::of(address));
        }
        let (operation, deadline) = within(operation::RESOLVE, deadline.into());
        let head = request(operation, 0);
        let mut bytes = [0; ADDRESSES * ADDRESS];
        let length = self.ask([&head, name.as_bytes()], &mut bytes, deadline)?;
        Addresses::told(bytes.get(..length).unwrap_or_default())
    }

    /// Asks for the addresses of a host, as [`Network::resolve`], and waits for nothing: what becomes of it the question says.
    /// `families` is one of [`protocol::families`](crate::protocol::families).
    ///
    /// # Errors
    /// As [`Network::resolve`], but for what only an answer says.
    pub fn question(&self, name: &str, families: u32) -> Result<Question<'_>, NetworkError> {
        let number = self.ask_word(operation::ASK, families, name.as_bytes())?;
        Ok(Question {
            network: self,
            number,
        })
    }
}

/// A question for a name that nobody waits for: one of those that this process may ask at once, until it is over. Dropped, it is.
#[derive(Debug)]
pub struct Question<'a> {
    network: &'a Network,
    number: u32,
}

impl Question<'_> {
    /// What has become of it, once that is known by `deadline`: at once with [`Deadline::Immediate`]. `name` is the one that was
    /// asked for, as the next server may have to be asked. The question is over then.
    ///
    /// # Errors
    /// [`NetworkError::WouldBlock`], [`NetworkError::TimedOut`] and [`riposte::Error::Interrupted`], after which it goes on; and, when it is over, as
    /// [`Network::resolve`].
    pub fn addresses_until(
        &self,
        name: &str,
        deadline: impl Into<Deadline>,
    ) -> Result<Addresses, NetworkError> {
        let (operation, deadline) = within(operation::ASKED, deadline.into());
        let head = request(operation, self.number);
        let mut bytes = [0; ADDRESSES * ADDRESS];
        let request = [&head, name.as_bytes()];
        let length = self.network.ask(request, &mut bytes, deadline)?;
        Addresses::told(bytes.get(..length).unwrap_or_default())
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.network.close(self.number);
    }
}
