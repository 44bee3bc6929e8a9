//! What leaves for streams: what of it the stack itself does not tell, and where it goes wrong.
//!
//! Somebody who has no room may say that he has got a stream's end (RFC 9293, 3.8.6.1, lets him). The stack goes on to wait for
//! room that it does not need any more: when the time at which it would ask for it is over, it acknowledges what it has got, again
//! and again, as often as it is asked for what is to be sent.

use smoltcp::socket::tcp::{Socket, State};
use smoltcp::wire::{IpEndpoint, IpProtocol, TcpPacket};

use super::Role;
use crate::answer::Carried;
use crate::{Egress, Store};

/// Most bytes of a frame with a segment that carries none.
const BARE: usize = 14 + 40 + 60;
/// How many segments in a row that only acknowledge a stream does not send if all is well: one for what has come, and one for room.
const RESTLESS: u8 = 8;

/// What has left for streams while the stack was asked once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Left {
    /// Between whom the last segment went that only acknowledges.
    acknowledged: Option<(IpEndpoint, IpEndpoint)>,
}

impl Left {
    /// Takes note of this frame.
    pub(crate) fn note(&mut self, frame: &[u8]) {
        if frame.len() > BARE {
            return;
        }
        let Some(Carried { from, to, bytes }) = Carried::of(frame, IpProtocol::Tcp) else {
            return;
        };
        let Ok(segment) = TcpPacket::new_checked(bytes) else {
            return;
        };
        let is_more = segment.syn() || segment.fin() || segment.rst();
        if !is_more && segment.payload().is_empty() {
            let ends = [(from, segment.src_port()), (to, segment.dst_port())];
            self.acknowledged = Some(ends.map(IpEndpoint::from).into());
        }
    }
}

/// Which stream has sent nothing but acknowledgements lately, and how many.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Restless {
    place: usize,
    times: u8,
}

impl<'a> Store<'a> {
    /// Takes note of what the stack has sent, and ends a stream for which it would not cease to: to be called whenever it was
    /// asked for what is to be sent.
    #[inline(never)]
    pub fn note_egress(&mut self, egress: Egress) {
        let between = egress.left().acknowledged;
        let Some(place) = between.and_then(|(from, to)| self.stream_between(from, to)) else {
            self.streams.restless.times = 0;
            return;
        };
        let Restless { place: last, times } = self.streams.restless;
        let times = if last == place { times + 1 } else { 1 };
        self.streams.restless = Restless { place, times };
        if times < RESTLESS {
            return;
        }
        self.streams.restless.times = 0;
        let handle = self.streams.streams[place].handle;
        let socket = self.sockets.get_mut::<Socket<'a>>(handle);
        if socket.state() == State::FinWait2 {
            socket.abort();
        }
    }

    /// The place of the stream between these.
    fn stream_between(&self, own: IpEndpoint, other: IpEndpoint) -> Option<usize> {
        let mut all = self.streams.streams.iter();
        all.position(|stream| {
            let is_used = stream.role != Role::Unused;
            let socket = is_used.then(|| self.sockets.get::<Socket<'a>>(stream.handle));
            socket.is_some_and(|it| {
                it.local_endpoint() == Some(own) && it.remote_endpoint() == Some(other)
            })
        })
    }
}
