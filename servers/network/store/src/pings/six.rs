//! Echoes of IPv6.

use core::net::Ipv6Addr;

use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr, Icmpv6Message, Icmpv6Packet,
    IpAddress, IpProtocol, Ipv6Packet, Ipv6Repr,
};

use crate::routers::{FROM_HERE, first_option};

use super::{Due, ECHO_HEAD, FRAME_HEAD, HOPS, Neighbour, Said, echo, numbers};

const HEAD: usize = 40;
/// Bytes of what looks for a host: itself, and the own device's address.
const SEARCH: usize = 24 + 8;
const QUESTION_KIND: u8 = 128;
const ANSWER_KIND: u8 = 129;
const SEARCH_KIND: u8 = 135;
/// The option that has the device's address of who was looked for.
const TARGET_DEVICE: u8 = 2;

pub const fn length(is_question: bool, bytes: usize) -> usize {
    let said = if is_question {
        ECHO_HEAD + bytes
    } else {
        SEARCH
    };
    FRAME_HEAD + HEAD + said
}

/// Whom all who may have an address listen to (RFC 4291, 2.7.1).
pub fn solicited(address: Ipv6Addr) -> (Ipv6Addr, EthernetAddress) {
    let [.., a, b, c] = address.octets();
    let group = [0xFF, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, a, b, c];
    (group.into(), EthernetAddress([0x33, 0x33, 0xFF, a, b, c]))
}

/// Whom a packet looks for.
pub fn sought(packet: &[u8]) -> Option<IpAddress> {
    let packet = Ipv6Packet::new_checked(packet).ok()?;
    if packet.next_header() != IpProtocol::Icmpv6 {
        return None;
    }
    let said = Icmpv6Packet::new_checked(packet.payload()).ok()?;
    let is_search = said.msg_type() == Icmpv6Message::NeighborSolicit;
    is_search.then(|| said.target_addr().into())
}

/// What a packet says of a question, or who it says to be.
#[inline(never)]
pub fn answer(packet: &[u8], take: &mut dyn FnMut(Said<'_>)) -> Option<Neighbour> {
    let packet = Ipv6Packet::new_checked(packet).ok()?;
    if packet.next_header() != IpProtocol::Icmpv6 {
        return None;
    }
    let (from, to) = (packet.src_addr(), packet.dst_addr());
    let said = Icmpv6Packet::new_checked(packet.payload()).ok()?;
    if !said.verify_checksum(&from, &to) {
        return None;
    }
    match said.msg_type() {
        Icmpv6Message::EchoReply => {
            take(echo(packet.payload(), ANSWER_KIND, to.into(), from.into())?);
        }
        Icmpv6Message::DstUnreachable => take(quoted(packet.payload())?),
        Icmpv6Message::NeighborAdvert if packet.hop_limit() == FROM_HERE => {
            return neighbour(packet.payload(), from, to);
        }
        _ => {}
    }
    None
}

/// The question that an error is about, of which it has the beginning.
fn quoted(error: &[u8]) -> Option<Said<'static>> {
    let (head, question) = error.get(ECHO_HEAD..)?.split_first_chunk::<HEAD>()?;
    let (version, next) = (head[0] >> 4, head[6]);
    if version != 6 || next != u8::from(IpProtocol::Icmpv6) {
        return None;
    }
    let [from, to] = [8, 24].map(|at| {
        let bytes = head.get(at..).and_then(<[u8]>::first_chunk::<16>);
        bytes.map_or(Ipv6Addr::UNSPECIFIED, |it| Ipv6Addr::from(*it))
    });
    let (ident, sequence) = numbers(question, QUESTION_KIND)?;
    Some(Said {
        from: from.into(),
        to: to.into(),
        ident,
        sequence,
        echo: None,
    })
}

/// Whose device `from` says to `to` it is.
fn neighbour(said: &[u8], from: Ipv6Addr, to: Ipv6Addr) -> Option<Neighbour> {
    let (head, mut options) = said.split_first_chunk::<24>()?;
    let (_, address) = head.split_last_chunk::<16>()?;
    let mut hardware = None;
    while let Some((kind, option, rest)) = first_option(options) {
        if kind == TARGET_DEVICE {
            hardware = option.get(2..).and_then(<[u8]>::first_chunk);
        }
        options = rest;
    }
    let hardware = EthernetAddress(*hardware.filter(|_| options.is_empty())?);
    hardware.is_unicast().then_some(Neighbour {
        address: Ipv6Addr::from(*address).into(),
        hardware,
        from: from.into(),
        to: to.into(),
    })
}

#[inline(never)]
pub fn emit(
    due: &Due,
    device: EthernetAddress,
    (from, to, next): (Ipv6Addr, Ipv6Addr, Ipv6Addr),
    frame: &mut EthernetFrame<&mut [u8]>,
) {
    let (group, group_device) = solicited(next);
    let (to, hops, payload_len) = match due.to {
        Some(_) => (to, HOPS, ECHO_HEAD + due.length),
        None => (group, FROM_HERE, SEARCH),
    };
    EthernetRepr {
        src_addr: device,
        dst_addr: due.to.unwrap_or(group_device),
        ethertype: EthernetProtocol::Ipv6,
    }
    .emit(frame);
    let head = Ipv6Repr {
        src_addr: from,
        dst_addr: to,
        next_header: IpProtocol::Icmpv6,
        payload_len,
        hop_limit: hops,
    };
    let mut packet = Ipv6Packet::new_unchecked(frame.payload_mut());
    head.emit(&mut packet);
    let said = packet.payload_mut();
    match due.to {
        Some(_) => due.write_question(QUESTION_KIND, said),
        None => write_search(device, next, said),
    }
    Icmpv6Packet::new_unchecked(said).fill_checksum(&from, &to);
}

/// Writes what looks for a host, but for its sum.
fn write_search(device: EthernetAddress, host: Ipv6Addr, said: &mut [u8]) {
    let EthernetAddress(device) = device;
    let own_device = [1, 1].into_iter().chain(device);
    let bytes = [SEARCH_KIND, 0, 0, 0, 0, 0, 0, 0].into_iter();
    let bytes = bytes.chain(host.octets()).chain(own_device);
    said.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
}
