//! Of which family an address is, and which nobody at the wire has.

use smoltcp::wire::{EthernetFrame, EthernetProtocol, IpAddress, IpVersion, Ipv4Packet};

/// Those that a socket takes, or that are wanted of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Families {
    /// Both.
    #[default]
    Both,
    /// IPv4 alone.
    Ipv4,
    /// IPv6 alone.
    Ipv6,
}

/// Whether there is more than IPv4: who has no IPv6 carries no code that tells them apart.
pub(crate) const ARE_BOTH: bool = cfg!(feature = "ipv6");

impl Families {
    /// Whether an address is of these.
    #[must_use]
    pub fn has(self, address: IpAddress) -> bool {
        let is_ipv4 = !ARE_BOTH || address.version() == IpVersion::Ipv4;
        match self {
            Families::Both => true,
            Families::Ipv4 => is_ipv4,
            Families::Ipv6 => !is_ipv4,
        }
    }
}

/// Whether a frame has a packet from, or for, the address that each machine has for itself (127.0.0.1, `::1`): none comes from a
/// wire (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3).
#[must_use]
pub fn is_from_nowhere(frame: &[u8]) -> bool {
    let Ok(frame) = EthernetFrame::new_checked(frame) else {
        return false;
    };
    match frame.ethertype() {
        EthernetProtocol::Ipv4 => {
            let packet = Ipv4Packet::new_checked(frame.payload());
            packet.is_ok_and(|it| it.src_addr().is_loopback() || it.dst_addr().is_loopback())
        }
        #[cfg(feature = "ipv6")]
        EthernetProtocol::Ipv6 => {
            let packet = smoltcp::wire::Ipv6Packet::new_checked(frame.payload());
            packet.is_ok_and(|it| it.src_addr().is_loopback() || it.dst_addr().is_loopback())
        }
        _ => false,
    }
}
