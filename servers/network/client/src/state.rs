//! What is known of the network.

use core::net::{IpAddr, Ipv6Addr, SocketAddr};

use crate::address;
use crate::protocol::{ADDRESS, STATE_BYTES};

/// What the server knows of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The address of IPv4, and how many bits of it those nearby have in common; unspecified until there is one.
    pub address: IpAddr,
    /// See above.
    pub prefix: u32,
    /// Whether there is a link.
    pub is_up: bool,
    /// The device's address (MAC).
    pub device: [u8; 6],
    /// Who knows the way to all others of IPv4; unspecified if nobody does.
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
    /// The address of IPv6 that holds at this link alone; unspecified if there is none.
    pub link_local: Ipv6Addr,
    /// The first address of IPv6 for elsewhere; unspecified until there is one.
    pub address_ipv6: Ipv6Addr,
    /// How many bits of it those nearby have in common.
    pub prefix_ipv6: u32,
    /// Who knows the way to all others of IPv6; unspecified if nobody does.
    pub gateway_ipv6: Ipv6Addr,
    /// How much of what routers have said was not kept: it made no sense, or there was no place for more.
    pub advertisements_refused: u32,
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
        let (words, rest) = rest.split_first_chunk::<24>()?;
        let (words, _) = words.as_chunks::<4>();
        let [sent, sent_bytes, received, received_bytes, lost, restarts] =
            *<&[_; 6]>::try_from(words).ok()?;
        let (link_local, rest) = rest.split_first_chunk::<ADDRESS>()?;
        let (address_ipv6, rest) = rest.split_first_chunk::<ADDRESS>()?;
        let (gateway_ipv6, words) = rest.split_first_chunk::<ADDRESS>()?;
        let (words, _) = words.as_chunks::<4>();
        let [prefix_ipv6, advertisements_refused] = *<&[_; 2]>::try_from(words).ok()?;
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
            link_local: address::six_from_bytes(link_local)?,
            address_ipv6: address::six_from_bytes(address_ipv6)?,
            prefix_ipv6: u32::from_le_bytes(prefix_ipv6),
            gateway_ipv6: address::six_from_bytes(gateway_ipv6)?,
            advertisements_refused: u32::from_le_bytes(advertisements_refused),
        })
    }

    /// The bytes that say so.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; STATE_BYTES] {
        let mut bytes = [0; STATE_BYTES];
        let mut rest = &mut bytes[..];
        let mut put = |bytes: &[u8]| {
            // They are as many as there is room for.
            if let Some((to, behind)) = core::mem::take(&mut rest).split_at_mut_checked(bytes.len())
            {
                to.copy_from_slice(bytes);
                rest = behind;
            }
        };
        let address = |it| address::to_bytes(SocketAddr::new(it, 0));
        let [a, b, c, d, e, f] = self.device;
        put(&address(self.address));
        put(&self.prefix.to_le_bytes());
        put(&u32::from(self.is_up).to_le_bytes());
        put(&[a, b, c, d, e, f, 0, 0]);
        put(&address(self.gateway));
        for word in [
            self.sent,
            self.sent_bytes,
            self.received,
            self.received_bytes,
            self.lost,
            self.restarts,
        ] {
            put(&word.to_le_bytes());
        }
        for it in [self.link_local, self.address_ipv6, self.gateway_ipv6] {
            put(&address(it.into()));
        }
        put(&self.prefix_ipv6.to_le_bytes());
        put(&self.advertisements_refused.to_le_bytes());
        bytes
    }
}
