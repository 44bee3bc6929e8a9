//! Of which family an address is.

use smoltcp::wire::{IpAddress, IpVersion};

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
