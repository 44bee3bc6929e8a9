//! The address that the network gives (DHCP), and what it tells with it.
//!
//! The stack believes what makes it end: that nobody gave the address, and is to be asked for it again, or that the way to all
//! others is no host. And it believes at any time what it has not asked for: that there is another address, or none any more. Of that
//! nothing reaches it.

use core::net::Ipv4Addr;

use smoltcp::socket::dhcpv4::{Event, Socket};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{DhcpMessageType, DhcpPacket, IpAddress, IpProtocol, Ipv4Cidr, UdpPacket};

use crate::answer::Carried;
use crate::{SERVERS, Store};

/// The port of who asks for an address, and of those who give them.
const PORT: u16 = 68;
const GIVES: u16 = 67;
/// How long an answer may come: until then the stack asks again if it has no address.
const ANSWERED: Duration = Duration::from_secs(10);

/// The option that says what a message is.
const MESSAGE_TYPE: u8 = 53;
/// The option with those who know the way to all others, the best one first.
const ROUTERS: u8 = 3;
/// Bytes of an answer that are kept: what every host takes of a datagram. Of a longer one the way to all others is known only
/// if it names one alone.
pub(crate) const ANSWER: usize = 576;

/// The one that asks for an address.
pub(crate) fn socket(answer: &mut [u8]) -> Socket<'_> {
    let mut socket = Socket::new();
    socket.set_receive_packet_buffer(answer);
    socket
}

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
    /// What the network has told since this was called last, if it has told anything else.
    pub fn lease(&mut self) -> Option<Lease> {
        let socket = self.sockets.get_mut::<Socket<'_>>(self.dhcp);
        let lease = match socket.poll()? {
            Event::Deconfigured => Lease::default(),
            Event::Configured(told) => {
                self.asked_until = None;
                let mut names = told.dns_servers.iter().copied();
                let given = told.address.address();
                let first = told.packet.and_then(|it| first_router(&it, given));
                let is_host =
                    |it: &Ipv4Addr| IpAddress::Ipv4(*it).is_unicast() && !it.is_loopback();
                Lease {
                    address: Some(told.address),
                    gateway: told.router.or(first).filter(is_host),
                    names: [(); SERVERS].map(|()| names.next()),
                }
            }
        };
        // The stack tells also what is as it was.
        let is_other = lease != self.lease || lease == Lease::default();
        self.lease = lease;
        is_other.then_some(lease)
    }
}

/// The first of those that know the way to all others, which is the best one, if this answer gives the address `given`. The stack
/// takes one alone.
fn first_router(answer: &DhcpPacket<&[u8]>, given: Ipv4Addr) -> Option<Ipv4Addr> {
    let option = |kind| answer.options().find(move |it| it.kind == kind);
    // Another one may have come since.
    let gives =
        answer.your_ip() == given && option(MESSAGE_TYPE)?.data == [u8::from(DhcpMessageType::Ack)];
    let (first, _) = option(ROUTERS)?.data.split_first_chunk::<4>()?;
    gives.then_some(Ipv4Addr::from(*first))
}

/// Whether this frame, which leaves, asks for an address.
pub(crate) fn asks(frame: &[u8]) -> bool {
    // The stack puts nothing between the heads.
    let ports = [0, PORT as u8, 0, GIVES as u8];
    frame.get(12..14) == Some(&[8, 0])
        && frame.get(23) == Some(&IpProtocol::Udp.into())
        && frame.get(34..38) == Some(&ports)
}

impl Store<'_> {
    /// The stack has asked for an address.
    pub(crate) fn note_asked_for_address(&mut self, now: Instant) {
        self.asked_until = Some(now + ANSWERED);
    }

    /// Whether this frame gives an address, or takes it, that nobody gives, or has been asked for: the stack is not to be given it.
    #[must_use]
    #[inline(never)]
    pub(crate) fn is_no_answer(&self, frame: &[u8], now: Instant) -> bool {
        let has_asked = self.asked_until.is_some_and(|it| now < it);
        let datagram = Carried::of(frame, IpProtocol::Udp);
        let datagram = datagram.filter(|it| !has_asked || it.from.is_unspecified());
        datagram.is_some_and(|it| {
            let ports = UdpPacket::new_checked(it.bytes).map(|it| (it.src_port(), it.dst_port()));
            ports.is_ok_and(|(from, to)| to == PORT && (from == GIVES || it.from.is_unspecified()))
        })
    }
}
