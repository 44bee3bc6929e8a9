//! No IPv6: what a program has in place of it.

use network_store::{Families, Store};
use riposte_network::State;
use smoltcp::iface::Interface;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, IpAddress};

use crate::wire::Wire;

/// Nothing.
pub struct Ipv6;

impl Ipv6 {
    pub fn new() -> Ipv6 {
        Ipv6
    }

    pub fn heard(&mut self, _: EthernetAddress, _: bool, _: Instant) {}

    pub fn hear(&mut self, _: Instant, _: &[u8]) {}

    pub fn turn(&mut self, _: &mut Interface, _: &mut Wire, _: &mut Store<'_>, _: Instant) -> bool {
        false
    }

    pub fn name_servers(&self) -> impl Iterator<Item = IpAddress> + '_ {
        core::iter::empty()
    }

    pub fn ends(&self) -> Option<Instant> {
        None
    }

    pub fn tell(&self, _: &Interface, _: &mut State) {}
}

/// Nobody.
pub fn gateway(_: &Interface) -> Option<IpAddress> {
    None
}

/// Of an address that there is.
pub fn is_reachable(_: &Interface, _: IpAddress) -> bool {
    true
}

/// IPv4, unless IPv6 alone is wanted.
pub fn families(_: &Interface, wanted: Families) -> Option<Families> {
    (wanted != Families::Ipv6).then_some(Families::Ipv4)
}
