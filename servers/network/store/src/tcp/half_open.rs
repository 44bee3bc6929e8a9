//! Room for those who come to a listener: who has not answered yet makes some for whoever comes.
//!
//! Anybody can send a first segment in the name of somebody else, who never answers. All places of a listener that have such
//! ones would be shut until their silence is noticed; so the oldest of them is forgotten when the next one comes.

use smoltcp::iface::Interface;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::socket::tcp::{Socket, State};
use smoltcp::wire::{EthernetFrame, IpEndpoint, IpProtocol, TcpPacket, TcpRepr};

use super::{LISTENERS, Role, Stream};
use crate::answer::Carried;
use crate::{Store, is_host};

impl<'a> Store<'a> {
    /// Whether [`Store::make_room`] is to look at frames.
    #[must_use]
    pub fn is_listened(&self) -> bool {
        self.streams.listeners.iter().any(|it| it.owner != 0)
    }

    /// Whether this frame is the first segment of somebody to whom a stream is to be connected, or answers the stream's own, which
    /// has not left yet: it is sent in that one's name, or both ask each other at once. The stack is not to be given it: it ends
    /// amid its sums if it has not said anything yet.
    #[must_use]
    #[inline(never)]
    pub(crate) fn crosses(&self, frame: &[u8]) -> bool {
        let asks = |stream: &Stream| {
            stream.role != Role::Unused
                && self.sockets.get::<Socket<'a>>(stream.handle).state() == State::SynSent
        };
        self.streams.streams.iter().any(asks)
            && segment(frame).is_some_and(|(Ends { from, to }, segment)| {
                let is_first = segment.syn() && !segment.ack();
                let place = self.stream_between(to, from);
                let stream = place.map(|it| &self.streams.streams[it]);
                stream.is_some_and(|it| asks(it) && (is_first || !it.has_asked))
            })
    }

    /// Has a listener wait for the client that this frame says has come to this host, if it is one. To be called before the stack
    /// is given the frame.
    #[inline(never)]
    pub fn make_room(&mut self, interface: &Interface, frame: &[u8]) {
        let Some(Ends { from, to }) = comes(interface, frame) else {
            return;
        };
        let listener = (0..LISTENERS).find(|it| {
            let it = &self.streams.listeners[*it];
            it.owner != 0 && it.port == to.port && it.families.has(from.addr)
        });
        let Some(listener) = listener else {
            return;
        };
        if self.stream_between(to, from).is_some() {
            // It has come already.
            return;
        }
        let (mut free, mut oldest) = (None, None);
        let came = self.streams.came.wrapping_add(1);
        for (place, stream) in self.streams.streams.iter().enumerate() {
            if stream.role != Role::Waiting(listener) {
                continue;
            }
            match self.sockets.get::<Socket<'a>>(stream.handle).state() {
                State::Listen => free = free.or(Some(place)),
                State::SynReceived => {
                    let age = came.wrapping_sub(stream.came);
                    oldest = oldest.max(Some((age, place)));
                }
                _ => {}
            }
        }
        let place = match (free, oldest) {
            (Some(place), _) => place,
            (None, Some((_, place))) => {
                self.wait_at(place, listener);
                place
            }
            // All who have come wait to be accepted.
            (None, None) => return,
        };
        self.streams.came = came;
        // The stack gives the first place that waits.
        self.streams.streams[place].came = came;
    }
}

/// Who asks this host for a connection with this frame, and where.
fn comes(interface: &Interface, frame: &[u8]) -> Option<Ends> {
    let (Ends { from, to }, segment) = segment(frame)?;
    if !segment.syn() || segment.ack() {
        return None;
    }
    // What is wrong the stack does not take.
    let all = ChecksumCapabilities::default();
    TcpRepr::parse(&segment, &from.addr, &to.addr, &all).ok()?;
    let device = EthernetFrame::new_unchecked(frame).dst_addr();
    let is_for_this_host = (!device.is_unicast() || interface.hardware_addr() == device.into())
        && interface.has_ip_addr(to.addr);
    (is_for_this_host && is_host(interface, from.addr)).then_some(Ends { from, to })
}

/// Between whom a segment goes.
pub(super) struct Ends {
    pub from: IpEndpoint,
    pub to: IpEndpoint,
}

/// The segment of this frame, to whatever device it is sent. Its sum may be wrong.
pub(super) fn segment(frame: &[u8]) -> Option<(Ends, TcpPacket<&[u8]>)> {
    let Carried { from, to, bytes } = Carried::of(frame, IpProtocol::Tcp)?;
    let segment = TcpPacket::new_checked(bytes).ok()?;
    let from = (from, segment.src_port()).into();
    let to = (to, segment.dst_port()).into();
    Some((Ends { from, to }, segment))
}
