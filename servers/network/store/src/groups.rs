//! Groups of those who may have an own address (RFC 4291, 2.7.1). Switches that look at who is in which pass on what is for a group to
//! those alone who have said so (MLDv2, RFC 3810): without that nobody would find this host.

use core::net::Ipv6Addr;

use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, Icmpv6Message, Icmpv6Packet, IpProtocol,
    Ipv6ExtHeader, Ipv6OptionRepr, Ipv6OptionRouterAlert, Ipv6OptionsIterator, Ipv6Packet,
};

use crate::duplicates::OWN;
use crate::pings::solicited;
use crate::routers::{ALERT, write_for_routers};

/// All routers that hear who is in which group, and their devices.
const ROUTERS: (Ipv6Addr, EthernetAddress) = (
    Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 0x16),
    EthernetAddress([0x33, 0x33, 0, 0, 0, 0x16]),
);
/// Bytes of a frame before what it says, of what it says before its groups, and of each of these.
const HEAD: usize = 14 + 40 + ALERT.len();
const SAID: usize = 8;
const RECORD: usize = 20;
/// Hops of what comes from the wire itself.
const HOPS: u8 = 1;

/// What a report says of its groups: all that is sent there is wanted, as it was before or from now on.
pub const IS_WANTED: u8 = 2;
pub const BECOMES_WANTED: u8 = 4;

/// Groups, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    all: [Option<Ipv6Addr>; OWN],
}

impl Groups {
    /// Those of these addresses, of which there are at most [`OWN`].
    pub fn of(addresses: impl Iterator<Item = Ipv6Addr>) -> Groups {
        let mut groups = Groups::default();
        for address in addresses {
            let (group, _) = solicited(address);
            let mut places = groups.all.iter_mut();
            let place = places.find(|it| it.is_none_or(|it| it == group));
            if let Some(place) = place {
                *place = Some(group);
            }
        }
        groups
    }

    /// Whether this router's question is about one of them, or about all.
    pub fn are_asked_for(&self, question: Ipv6Addr) -> bool {
        question.is_unspecified() || self.all.contains(&Some(question))
    }

    /// Bytes of a frame that tells them.
    pub fn length(&self) -> usize {
        HEAD + SAID + RECORD * self.all.iter().flatten().count()
    }

    /// Writes that frame.
    #[inline(never)]
    pub fn emit(&self, kind: u8, from: (Ipv6Addr, EthernetAddress), frame: &mut [u8]) {
        let mut records = [0; OWN * RECORD];
        let (places, _) = records.as_chunks_mut::<RECORD>();
        let mut count = 0;
        for (record, group) in places.iter_mut().zip(self.all.iter().flatten()) {
            let (head, address) = record.split_at_mut(4);
            head[0] = kind;
            address.copy_from_slice(&group.octets());
            count += 1;
        }
        let head = [143, 0, 0, 0, 0, 0, 0, count as u8];
        let records = records.get(..count * RECORD).unwrap_or_default();
        write_for_routers(&[&head, records], from, ROUTERS, frame);
    }
}

/// The group of which a router at the wire asks who is in it: unspecified for all.
#[inline(never)]
pub fn question(frame: &[u8]) -> Option<Ipv6Addr> {
    let frame = EthernetFrame::new_checked(frame).ok()?;
    if frame.ethertype() != EthernetProtocol::Ipv6 {
        return None;
    }
    let packet = Ipv6Packet::new_checked(frame.payload()).ok()?;
    if packet.next_header() != IpProtocol::HopByHop || packet.hop_limit() != HOPS {
        return None;
    }
    let (from, to) = (packet.src_addr(), packet.dst_addr());
    let said = behind_alert(packet.payload())?;
    let said = Icmpv6Packet::new_checked(said).ok()?;
    let is_right = from.is_unicast_link_local()
        && said.msg_type() == Icmpv6Message::MldQuery
        && said.verify_checksum(&from, &to);
    is_right.then(|| said.mcast_addr())
}

/// What is behind options that have routers look at a message of ICMP for groups; each host pads them in its own way.
fn behind_alert(packet: &[u8]) -> Option<&[u8]> {
    const ALERT: Ipv6OptionRepr<'_> =
        Ipv6OptionRepr::RouterAlert(Ipv6OptionRouterAlert::MulticastListenerDiscovery);
    let head = Ipv6ExtHeader::new_checked(packet).ok()?;
    let options = head.payload();
    let is_alert = Ipv6OptionsIterator::new(options).any(|it| it == Ok(ALERT));
    let is_right = head.next_header() == IpProtocol::Icmpv6 && is_alert;
    packet.get(2 + options.len()..).filter(|_| is_right)
}
