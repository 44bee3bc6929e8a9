//! Who has answered, and how: what the stack's own socket does not say of an answer.

use smoltcp::wire::{
    DnsFlags, DnsPacket, DnsRcode, EthernetFrame, EthernetProtocol, IpAddress, IpProtocol,
    Ipv4Packet, UdpPacket,
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
        let (from, datagram) = carried(frame, IpProtocol::Udp)?;
        let datagram = UdpPacket::new_checked(datagram).ok()?;
        let answer = DnsPacket::new_checked(datagram.payload()).ok()?;
        let heard = Heard {
            from,
            port: datagram.src_port(),
            code: answer.rcode(),
        };
        answer.flags().contains(DnsFlags::RESPONSE).then_some(heard)
    }
}

/// What a frame carries of this protocol, and whose it is.
pub(crate) fn carried(frame: &[u8], wanted: IpProtocol) -> Option<(IpAddress, &[u8])> {
    let frame = EthernetFrame::new_checked(frame).ok()?;
    let (from, protocol, carried) = match frame.ethertype() {
        EthernetProtocol::Ipv4 => {
            let packet = Ipv4Packet::new_checked(frame.payload()).ok()?;
            let from = packet.src_addr().into();
            (from, packet.next_header(), packet.payload())
        }
        #[cfg(feature = "ipv6")]
        EthernetProtocol::Ipv6 => {
            let packet = smoltcp::wire::Ipv6Packet::new_checked(frame.payload()).ok()?;
            let from = packet.src_addr().into();
            (from, packet.next_header(), packet.payload())
        }
        _ => return None,
    };
    (protocol == wanted).then_some((from, carried))
}
