//! Who has answered, and how: what the stack's own socket does not say of an answer.

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    DnsFlags, DnsPacket, DnsRcode, EthernetFrame, EthernetProtocol, IpAddress, IpProtocol,
    Ipv4Packet, Ipv4Repr, UdpPacket,
};

/// The port of servers of names.
pub const PORT: u16 = 53;

/// An answer to a question for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// Whose it is.
    pub from: IpAddress,
    /// Their port.
    pub port: u16,
    /// Why it says nothing, if it does not.
    pub code: DnsRcode,
}

impl Heard {
    /// What this frame says, if it is such an answer. Nothing is told of whether it fits a question.
    #[must_use]
    #[inline(never)]
    pub fn of(frame: &[u8]) -> Option<Heard> {
        let datagram = Carried::of(frame, IpProtocol::Udp)?;
        let from = datagram.from;
        let datagram = UdpPacket::new_checked(datagram.bytes).ok()?;
        let answer = DnsPacket::new_checked(datagram.payload()).ok()?;
        let heard = Heard {
            from,
            port: datagram.src_port(),
            code: answer.rcode(),
        };
        answer.flags().contains(DnsFlags::RESPONSE).then_some(heard)
    }
}

/// What a frame carries, and between whom.
pub(crate) struct Carried<'a> {
    pub from: IpAddress,
    pub to: IpAddress,
    pub bytes: &'a [u8],
}

impl<'a> Carried<'a> {
    /// What this frame carries of a protocol, if its packet is one that the stack takes.
    #[inline(never)]
    pub fn of(frame: &'a [u8], protocol: IpProtocol) -> Option<Carried<'a>> {
        let frame = EthernetFrame::new_checked(frame).ok()?;
        let (found, carried) = match frame.ethertype() {
            EthernetProtocol::Ipv4 => {
                let packet = Ipv4Packet::new_checked(frame.payload()).ok()?;
                let head = Ipv4Repr::parse(&packet, &ChecksumCapabilities::default()).ok()?;
                let carried = Carried {
                    from: head.src_addr.into(),
                    to: head.dst_addr.into(),
                    bytes: packet.payload(),
                };
                (head.next_header, carried)
            }
            #[cfg(feature = "ipv6")]
            EthernetProtocol::Ipv6 => {
                let packet = smoltcp::wire::Ipv6Packet::new_checked(frame.payload()).ok()?;
                let head = smoltcp::wire::Ipv6Repr::parse(&packet).ok()?;
                let (mut found, mut bytes) = (head.next_header, packet.payload());
                // The stack looks behind one such header, too.
                if found == IpProtocol::HopByHop {
                    let options = smoltcp::wire::Ipv6ExtHeader::new_checked(bytes).ok()?;
                    found = options.next_header();
                    bytes = bytes.get(usize::from(options.header_len()) * 8 + 8..)?;
                }
                let carried = Carried {
                    from: head.src_addr.into(),
                    to: head.dst_addr.into(),
                    bytes,
                };
                (found, carried)
            }
            _ => return None,
        };
        (found == protocol).then_some(carried)
    }
}
