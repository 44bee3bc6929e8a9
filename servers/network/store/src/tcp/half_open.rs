//! Room for those who come to a listener: who has not answered yet makes some for whoever comes.
//!
//! Anybody can send a first segment in the name of somebody else, who never answers. All places of a listener that have such
//! ones would be shut until their silence is noticed; so the oldest of them is forgotten when the next one comes.

use smoltcp::iface::Interface;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::socket::tcp::{Socket, State};
use smoltcp::wire::{EthernetFrame, IpEndpoint, IpProtocol, TcpPacket, TcpRepr, TcpSeqNumber};

use super::{LISTENERS, Role, Stream};
use crate::answer::Carried;
use crate::{Store, is_host};

/// More than a stream's room and the longest segment have, by far.
const NEAR: u32 = 1 << 17;

impl<'a> Store<'a> {
    /// Whether [`Store::make_room`] is to look at frames.
    #[must_use]
    pub fn is_listened(&self) -> bool {
        self.streams.listeners.iter().any(|it| it.owner != 0)
    }

    /// Whether this frame is a segment of a stream amid which the stack would end, as its sums are not made for it.
    #[must_use]
    #[inline(never)]
    pub(crate) fn is_harmful(&mut self, frame: &[u8]) -> bool {
        let is_open = |stream: &Stream| {
            let is_used = stream.role != Role::Unused;
            let socket = is_used.then(|| self.sockets.get::<Socket<'a>>(stream.handle));
            socket.is_some_and(|it| !matches!(it.state(), State::Closed | State::Listen))
        };
        if !self.streams.streams.iter().any(is_open) {
            return false;
        }
        let Some((Ends { from, to }, segment)) = segment(frame) else {
            return false;
        };
        let Some(place) = self.stream_between(to, from) else {
            return false;
        };
        let stream = &mut self.streams.streams[place];
        let TcpSeqNumber(number) = segment.seq_number();
        match self.sockets.get::<Socket<'a>>(stream.handle).state() {
            // The first segment of the other side, or an answer to the stream's own, which has not left yet: it is sent in that
            // one's name, or both ask each other at once.
            State::SynSent => segment.syn() && !segment.ack() || !stream.has_asked,
            // Where there was no room but for the end, what is to come begins behind the room: half of all numbers away
            // everything lies in it, and before it.
            State::CloseWait | State::Closing | State::LastAck | State::TimeWait => {
                let away = number.wrapping_sub(stream.end).wrapping_sub(i32::MIN);
                away.unsigned_abs() < NEAR
            }
            _ => {
                if segment.fin() {
                    // If the stack takes it.
                    stream.end = number.wrapping_add(segment.payload().len() as i32);
                }
                false
            }
        }
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
