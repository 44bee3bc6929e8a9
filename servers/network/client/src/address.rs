//! Addresses as requests have them.

use core::net::{IpAddr, Ipv6Addr, SocketAddr};

use crate::protocol::ADDRESS;

/// The bytes of an address.
#[must_use]
pub fn to_bytes(address: SocketAddr) -> [u8; ADDRESS] {
    let ip = match address.ip() {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    };
    let mut bytes = [0; ADDRESS];
    let [low, high] = address.port().to_le_bytes();
    let (place, rest) = bytes.split_at_mut(16);
    place.copy_from_slice(&ip.octets());
    rest.copy_from_slice(&[low, high, 0, 0]);
    bytes
}

/// The address that these bytes are; none if they are none.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> Option<SocketAddr> {
    let bytes: &[u8; ADDRESS] = bytes.try_into().ok()?;
    let (ip, rest) = bytes.split_first_chunk::<16>()?;
    let [low, high, 0, 0] = *rest else {
        return None;
    };
    let ip = Ipv6Addr::from(*ip).to_canonical();
    Some(SocketAddr::new(ip, u16::from_le_bytes([low, high])))
}

/// The address of IPv6 that these bytes are.
#[inline(never)]
pub(crate) fn six_from_bytes(bytes: &[u8]) -> Option<Ipv6Addr> {
    match from_bytes(bytes)?.ip() {
        IpAddr::V6(address) => Some(address),
        IpAddr::V4(_) => None,
    }
}
