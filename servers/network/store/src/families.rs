//! Of which family an address is, whether it is one host's, and which nobody at the wire has.

use smoltcp::iface::Interface;
use smoltcp::wire::{IpAddress, IpCidr, IpVersion};

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
pub(crate) fn is_from_nowhere(frame: &[u8]) -> bool {
    let Some((head, packet)) = frame.split_first_chunk::<14>() else {
        return false;
    };
    match head {
        [.., 8, 0] => [12, 16].iter().any(|it| packet.get(*it) == Some(&127)),
        #[cfg(feature = "ipv6")]
        [.., 0x86, 0xDD] => {
            let own = core::net::Ipv6Addr::LOCALHOST.octets();
            [8, 24]
                .iter()
                .any(|it| packet.get(*it..*it + 16) == Some(&own[..]))
        }
        _ => false,
    }
}

/// Whether this is an address that each machine has for itself: nothing that is for it leaves this one.
#[must_use]
pub fn is_own(address: IpAddress) -> bool {
    match address {
        IpAddress::Ipv4(it) => it.is_loopback(),
        #[cfg(feature = "ipv6")]
        IpAddress::Ipv6(it) => it.is_loopback(),
    }
}

/// Whether this is the address of one host at the wire, or behind it, and not of several or nobody.
#[must_use]
#[inline(never)]
pub fn is_host(interface: &Interface, address: IpAddress) -> bool {
    let is_everybody = |it: &IpCidr| match it {
        IpCidr::Ipv4(it) => it.broadcast().map(IpAddress::Ipv4) == Some(address),
        #[cfg(feature = "ipv6")]
        IpCidr::Ipv6(_) => false,
    };
    address.is_unicast() && !is_own(address) && !interface.ip_addrs().iter().any(is_everybody)
}
