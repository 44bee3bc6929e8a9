//! The address that the network gives (DHCP), and what it tells with it.
//!
//! The stack believes what makes it end: that nobody gave the address, and is to be asked for it again, or that the way to all
//! others is no host. Of that nothing reaches it.

use core::net::Ipv4Addr;

use smoltcp::socket::dhcpv4::{Event, Socket};
use smoltcp::wire::{IpAddress, IpProtocol, Ipv4Cidr, UdpPacket};

use crate::answer::Carried;
use crate::{SERVERS, Store};

/// The port of who asks for an address.
const PORT: u16 = 68;

/// What there is from now on: nothing when the time of the last one is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lease {
    /// The own address.
    pub address: Option<Ipv4Cidr>,
    /// Who knows the way to all others.
    pub gateway: Option<Ipv4Addr>,
    /// Who is asked for names.
    pub names: [Option<Ipv4Addr>; SERVERS],
}

impl Store<'_> {
    /// What the network has told since this was called last, if it has told anything.
    pub fn lease(&mut self) -> Option<Lease> {
        let socket = self.sockets.get_mut::<Socket<'_>>(self.dhcp);
        let Event::Configured(told) = socket.poll()? else {
            return Some(Lease::default());
        };
        let mut names = told.dns_servers.iter().copied();
        let is_host = |it: &Ipv4Addr| IpAddress::Ipv4(*it).is_unicast();
        Some(Lease {
            address: Some(told.address),
            gateway: told.router.filter(is_host),
            names: [(); SERVERS].map(|()| names.next()),
        })
    }
}

/// Whether this frame gives an address that nobody gives: the stack is not to be given it.
#[must_use]
#[inline(never)]
pub(crate) fn is_given_by_nobody(frame: &[u8]) -> bool {
    let datagram = Carried::of(frame, IpProtocol::Udp).filter(|it| it.from.is_unspecified());
    let datagram = datagram.and_then(|it| UdpPacket::new_checked(it.bytes).ok());
    datagram.is_some_and(|it| it.dst_port() == PORT)
}
