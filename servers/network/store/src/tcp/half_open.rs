//! Room for those who come to a listener: who comes while there is none waits, and who never answers makes some.
//!
//! Anybody can send a first segment in the name of somebody else, who never answers. All places of a listener that have such
//! ones would be shut until their silence is noticed; so the oldest of them is forgotten when the next one comes, if it has had the time to answer, or if
//! others lately had it in vain: then it is a flood, and no crowd.

use smoltcp::iface::Interface;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::socket::tcp::{Socket, State};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetFrame, IpEndpoint, IpProtocol, TcpPacket, TcpRepr, TcpSeqNumber};

use super::{Role, Stream};
use crate::answer::Carried;
use crate::{Store, is_host};

/// More than a stream's room and the longest segment have, by far.
const NEAR: u32 = 1 << 17;

/// How long whoever has come may take to answer, and how long silence is held against those who come then.
const YOUNG: Duration = Duration::from_secs(1);

impl<'a> Store<'a> {
    /// Whether this frame is a segment of a stream amid which the stack would end, as its sums are not made for it, or which it
    /// would take for another client's.
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
        let is_first = segment.syn() && !segment.ack();
        match self.sockets.get::<Socket<'a>>(stream.handle).state() {
            // The first segment of the other side, or an answer to the stream's own, which has not left yet: it is sent in that
            // one's name, or both ask each other at once.
            State::SynSent => is_first || !stream.has_asked,
            // It has come before, or is sent in the other side's name. The stack gives it to whoever waits for a client in an
            // earlier place, and all that the other side says behind it; the stream itself would take no note of it.
            state if is_first && state != State::TimeWait => true,
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
    /// is given the frame: it is not if this says so, as it is nobody's, or as there is no room: then it is [later](Store::recall).
    #[inline(never)]
    #[must_use]
    pub fn make_room(&mut self, interface: &Interface, frame: &[u8], now: Instant) -> bool {
        let Some((ends, segment)) = segment(frame) else {
            return true;
        };
        // No stream leads to all, or to a group, from where the stack would answer (RFC 9293, 3.9.2.3).
        if !interface.has_ip_addr(ends.to.addr) {
            return false;
        }
        if !comes(interface, frame, ends, &segment) {
            return true;
        }
        let Some(listener) = self.listener_for(ends) else {
            return true;
        };
        if self.stream_between(ends.to, ends.from).is_some() {
            // It has come already.
            return true;
        }
        let Room { free, oldest } = self.room_at(listener);
        let place = free.or_else(|| {
            let place = oldest?;
            let is_silent = now >= self.streams.streams[place].came_at + YOUNG;
            if !is_silent && now >= self.streams.flood_ends {
                return None;
            }
            self.streams.flood_ends = now + YOUNG;
            self.wait_at(place, listener);
            Some(place)
        });
        match place {
            Some(place) => {
                // Whoever comes again by himself waits no more.
                self.crowd.forget(ends);
                self.comes_to(place, now);
            }
            None => self.crowd.keep(ends, frame),
        }
        place.is_some()
    }

    /// The listener to which somebody comes.
    pub(super) fn listener_for(&self, ends: Ends) -> Option<usize> {
        let Ends { from, to } = ends;
        let mut all = self.streams.listeners.iter();
        all.position(|it| it.owner != 0 && it.port == to.port && it.families.has(from.addr))
    }

    /// What room a listener has.
    pub(super) fn room_at(&self, listener: usize) -> Room {
        let (mut free, mut oldest) = (None, None);
        for (place, stream) in self.streams.streams.iter().enumerate() {
            if stream.role != Role::Waiting(listener) {
                continue;
            }
            match self.sockets.get::<Socket<'a>>(stream.handle).state() {
                State::Listen => free = free.or(Some(place)),
                State::SynReceived => {
                    let age = self.streams.came.wrapping_sub(stream.came);
                    oldest = oldest.max(Some((age, place)));
                }
                _ => {}
            }
        }
        Room {
            free,
            oldest: oldest.map(|(_, place)| place),
        }
    }

    /// Somebody comes to this place: the stack gives the first one that waits.
    pub(super) fn comes_to(&mut self, place: usize, now: Instant) {
        self.streams.came = self.streams.came.wrapping_add(1);
        let stream = &mut self.streams.streams[place];
        stream.came = self.streams.came;
        stream.came_at = now;
    }
}

/// The room of a listener.
pub(super) struct Room {
    /// A place at which nobody is.
    pub free: Option<usize>,
    /// That of whoever came first of those who have not answered.
    oldest: Option<usize>,
}

/// Whether somebody asks this host for a connection with the segment of this frame, which is for an own address.
fn comes(interface: &Interface, frame: &[u8], ends: Ends, segment: &TcpPacket<&[u8]>) -> bool {
    if !segment.syn() || segment.ack() {
        return false;
    }
    let Ends { from, to } = ends;
    // What is wrong the stack does not take.
    let all = ChecksumCapabilities::default();
    if TcpRepr::parse(segment, &from.addr, &to.addr, &all).is_err() {
        return false;
    }
    let device = EthernetFrame::new_unchecked(frame).dst_addr();
    let is_for_this_host = !device.is_unicast() || interface.hardware_addr() == device.into();
    is_for_this_host && is_host(interface, from.addr)
}

/// Between whom a segment goes.
#[derive(Clone, Copy, PartialEq, Eq)]
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
