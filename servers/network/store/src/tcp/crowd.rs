//! Those who have come to a listener while it had no place for them: their first segments are given to the stack when it has one.
//!
//! By TCP they come again by themselves, after a second or more. Who forwards connections, as an emulator's network does, need not.

use smoltcp::time::Instant;
use smoltcp::wire::IpAddress;

use super::half_open::{Ends, segment};
use crate::Store;

/// How many are kept: of those at the port that has most, the oldest of the address that has most there makes room.
const MOST: usize = 8;
/// Bytes of the longest frame with a first segment, but for options that nobody sends.
const FIRST: usize = 96;

#[derive(Clone, Copy, Debug)]
struct First {
    frame: [u8; FIRST],
    length: usize,
    from: IpAddress,
    /// To which it is sent.
    port: u16,
}

impl First {
    fn frame(&self) -> &[u8] {
        &self.frame[..self.length]
    }

    fn ends(&self) -> Option<Ends> {
        Some(segment(self.frame())?.0)
    }
}

/// All of them, the oldest first.
#[derive(Debug)]
pub struct Crowd {
    all: [First; MOST],
    count: usize,
}

impl Crowd {
    pub const fn new() -> Crowd {
        Crowd {
            all: [First {
                frame: [0; FIRST],
                length: 0,
                from: IpAddress::v4(0, 0, 0, 0),
                port: 0,
            }; MOST],
            count: 0,
        }
    }

    /// Keeps a frame with a first segment.
    pub(super) fn keep(&mut self, ends: Ends, frame: &[u8]) {
        if frame.len() > FIRST {
            return;
        }
        if self.place_of(ends).is_some() {
            return;
        }
        let port = ends.to.port;
        if self.count == MOST {
            self.remove(self.crowding(port));
        }
        let first = &mut self.all[self.count];
        first.frame[..frame.len()].copy_from_slice(frame);
        first.length = frame.len();
        first.from = ends.from.addr;
        first.port = port;
        self.count += 1;
    }

    /// The place of the oldest of the address that has most at the port that has most: at this one, if others have no more.
    #[inline(never)]
    fn crowding(&self, port: u16) -> usize {
        let rank = |first: &First| {
            let same = || self.all.iter().filter(|it| it.port == first.port);
            let one_s = same().filter(|it| it.from == first.from);
            (same().count(), first.port == port, one_s.count())
        };
        // Of several, it is the last one that comes out.
        let all = self.all.iter().enumerate().rev();
        all.max_by_key(|(_, first)| rank(first))
            .map_or(0, |(place, _)| place)
    }

    /// Keeps none with these ends.
    #[inline(never)]
    pub(super) fn forget(&mut self, ends: Ends) {
        if let Some(place) = self.place_of(ends) {
            self.remove(place);
        }
    }

    #[inline(never)]
    fn place_of(&self, ends: Ends) -> Option<usize> {
        let kept = &self.all[..self.count];
        kept.iter().position(|it| it.ends() == Some(ends))
    }

    #[inline(never)]
    fn remove(&mut self, place: usize) {
        self.all[place..self.count].rotate_left(1);
        self.count -= 1;
    }
}

impl Store<'_> {
    /// The frame of whoever has fewest streams already of those for whom there is room now, and has waited longest, for the stack to
    /// be given; its length. It has as much room as the longest frame.
    #[inline(never)]
    pub fn recall(&mut self, into: &mut [u8], now: Instant) -> Option<usize> {
        let kept = self.crowd.all[..self.crowd.count].iter().enumerate();
        let for_whom_is_room = kept.filter_map(|(place, first)| {
            // Whose listener is gone is refused by the stack.
            let Some(listener) = self.listener_for(first.ends()?) else {
                return Some((0, place, None));
            };
            let free = self.room_at(listener).free?;
            let owner = self.streams.listeners[listener].owner;
            let streams = self.streams_of(owner, first.from);
            Some((streams, place, Some(free)))
        });
        let (_, place, free) = for_whom_is_room.min()?;
        if let Some(free) = free {
            self.comes_to(free, now);
        }
        let first = self.crowd.all[place];
        self.crowd.remove(place);
        into.get_mut(..first.length)?.copy_from_slice(first.frame());
        Some(first.length)
    }

    /// Whether somebody waits at this port who has fewer of this owner's streams, even with one more, than that to whom this one
    /// leads.
    #[inline(never)]
    pub(super) fn is_outnumbered(&self, port: u16, owner: u32, stream: usize) -> bool {
        let kept = &self.crowd.all[..self.crowd.count];
        let mut here = kept.iter().filter(|it| it.port == port);
        let streams = |other| self.streams_of(owner, other);
        let most = self.stream_goes_to(stream).map_or(0, streams);
        here.any(|it| streams(it.from) + 1 < most)
    }
}
