//! What leaves for streams: what of it the stack itself does not tell, and where it goes wrong.
//!
//! Somebody who has no room may say that he has got a stream's end (RFC 9293, 3.8.6.1, lets him). The stack goes on to wait for
//! room that it does not need any more: when the time at which it would ask for it is over, it acknowledges what it has got, again
//! and again, as often as it is asked for what is to be sent.

use smoltcp::socket::tcp::{Socket, State};
use smoltcp::time::Instant;
use smoltcp::wire::IpEndpoint;

use super::half_open::{Ends, segment};
use super::{Role, STREAMS};
use crate::{Egress, Store};

/// Most bytes of a frame with a segment that carries none.
const BARE: usize = 14 + 40 + 60;
/// How many segments in a row that only acknowledge a stream does not send if all is well: one for what has come, and one for room.
const RESTLESS: u8 = 8;

/// What has left for streams while the stack was asked once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Left {
    /// The own ports of those that have asked for a connection, before zeros.
    asked: [u16; STREAMS],
    /// Between whom the last segment went that only acknowledges.
    acknowledged: Option<(IpEndpoint, IpEndpoint)>,
}

impl Left {
    /// Takes note of this frame.
    pub(crate) fn note(&mut self, frame: &[u8]) {
        if frame.len() > BARE {
            return;
        }
        let Some((Ends { from, to }, segment)) = segment(frame) else {
            return;
        };
        if segment.syn() && !segment.ack() {
            if let Some(place) = self.asked.iter_mut().find(|it| **it == 0) {
                *place = from.port;
            }
        } else if !segment.syn() && !segment.fin() && !segment.rst() && segment.payload().is_empty()
        {
            self.acknowledged = Some((from, to));
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
    pub fn note_egress(&mut self, now: Instant, egress: Egress) {
        if egress.asks_for_address() {
            self.note_asked_for_address(now);
        }
        let Left {
            asked,
            acknowledged,
        } = egress.left();
        if asked != [0; STREAMS] {
            self.note_asked(asked);
        }
        let Some(place) = acknowledged.and_then(|(from, to)| self.stream_between(from, to)) else {
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

    /// The streams with these ports have asked for a connection: what comes now may be an answer.
    #[inline(never)]
    fn note_asked(&mut self, ports: [u16; STREAMS]) {
        for stream in &mut self.streams.streams {
            if stream.role == Role::Unused {
                continue;
            }
            let socket = self.sockets.get::<Socket<'a>>(stream.handle);
            let own = socket.local_endpoint();
            let is_it = own.is_some_and(|it| ports.contains(&it.port));
            stream.has_asked |= is_it && socket.state() == State::SynSent;
        }
    }

    /// The place of the stream between these.
    #[inline(never)]
    pub(super) fn stream_between(&self, own: IpEndpoint, other: IpEndpoint) -> Option<usize> {
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
