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
        let frame = EthernetFrame::new_checked(frame).ok()?;
        let (from, datagram) = datagram(&frame)?;
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

/// The datagram in a frame, and whose it is.
fn datagram<'a>(frame: &EthernetFrame<&'a [u8]>) -> Option<(IpAddress, &'a [u8])> {
    let (from, protocol, datagram) = match frame.ethertype() {
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
    (protocol == IpProtocol::Udp).then_some((from, datagram))
}
