//! What is known of the network.

use core::net::{IpAddr, SocketAddr};

use crate::address;
use crate::protocol::{ADDRESS, STATE_BYTES};

/// What the server knows of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The address, and how many bits of it those nearby have in common; unspecified until there is one.
    pub address: IpAddr,
    /// See above.
    pub prefix: u32,
    /// Whether there is a link.
    pub is_up: bool,
    /// The device's address (MAC).
    pub device: [u8; 6],
    /// Who knows the way to all others; unspecified if nobody does.
    pub gateway: IpAddr,
    /// Frames that were sent.
    pub sent: u32,
    /// Their bytes.
    pub sent_bytes: u32,
    /// Frames that came.
    pub received: u32,
    /// Their bytes.
    pub received_bytes: u32,
    /// Frames that were not sent: the driver had no room, or was away.
    pub lost: u32,
    /// How often the driver has started again.
    pub restarts: u32,
}

impl State {
    /// What these bytes say; none if they say nothing.
    #[must_use]
    pub fn of(bytes: &[u8; STATE_BYTES]) -> Option<State> {
        let (own, rest) = bytes.split_first_chunk::<ADDRESS>()?;
        let (prefix, rest) = rest.split_first_chunk::<4>()?;
        let (is_up, rest) = rest.split_first_chunk::<4>()?;
        let (device, rest) = rest.split_first_chunk::<8>()?;
        let (gateway, rest) = rest.split_first_chunk::<ADDRESS>()?;
        let (words, _) = rest.as_chunks::<4>();
        let [sent, sent_bytes, received, received_bytes, lost, restarts] =
            *<&[_; 6]>::try_from(words).ok()?;
        let [a, b, c, d, e, f, ..] = *device;
        Some(State {
            address: address::from_bytes(own)?.ip(),
            prefix: u32::from_le_bytes(*prefix),
            is_up: u32::from_le_bytes(*is_up) != 0,
            device: [a, b, c, d, e, f],
            gateway: address::from_bytes(gateway)?.ip(),
            sent: u32::from_le_bytes(sent),
            sent_bytes: u32::from_le_bytes(sent_bytes),
            received: u32::from_le_bytes(received),
            received_bytes: u32::from_le_bytes(received_bytes),
            lost: u32::from_le_bytes(lost),
            restarts: u32::from_le_bytes(restarts),
        })
    }

    /// The bytes that say so.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; STATE_BYTES] {
        let [a, b, c, d, e, f] = self.device;
        let words = [
            self.sent,
            self.sent_bytes,
            self.received,
            self.received_bytes,
            self.lost,
            self.restarts,
        ];
        let all = address::to_bytes(SocketAddr::new(self.address, 0))
            .into_iter()
            .chain(self.prefix.to_le_bytes())
            .chain(u32::from(self.is_up).to_le_bytes())
            .chain([a, b, c, d, e, f, 0, 0])
            .chain(address::to_bytes(SocketAddr::new(self.gateway, 0)))
            .chain(words.into_iter().flat_map(u32::to_le_bytes));
        let mut bytes = [0; STATE_BYTES];
        bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        bytes
    }
}
