//! Who has answered, and how: what the stack's own socket does not say of an answer.

use core::net::Ipv4Addr;

use smoltcp::wire::{
    DnsFlags, DnsPacket, DnsRcode, EthernetFrame, EthernetProtocol, IpProtocol, Ipv4Packet,
    UdpPacket,
};

/// The port of servers of names.
pub const PORT: u16 = 53;

/// An answer to a question for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// Whose it is.
    pub from: Ipv4Addr,
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
        if frame.ethertype() != EthernetProtocol::Ipv4 {
            return None;
        }
        let packet = Ipv4Packet::new_checked(frame.payload()).ok()?;
        if packet.next_header() != IpProtocol::Udp {
            return None;
        }
        let datagram = UdpPacket::new_checked(packet.payload()).ok()?;
        let answer = DnsPacket::new_checked(datagram.payload()).ok()?;
        let heard = Heard {
            from: packet.src_addr(),
            port: datagram.src_port(),
            code: answer.rcode(),
        };
        answer.flags().contains(DnsFlags::RESPONSE).then_some(heard)
    }
}
