//! Those who have come to a listener while it had no place for them: their first segments are given to the stack when it has one.
//!
//! By TCP they come again by themselves, after a second or more. Who forwards connections, as an emulator's network does, need not.

use smoltcp::time::Instant;

use super::half_open::{Ends, segment};
use crate::Store;

/// How many are kept: of those at the port that has most, the oldest makes room.
const MOST: usize = 8;
/// Bytes of the longest frame with a first segment, but for options that nobody sends.
const FIRST: usize = 96;

#[derive(Clone, Copy, Debug)]
struct First {
    frame: [u8; FIRST],
    length: usize,
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
        first.port = port;
        self.count += 1;
    }

    /// The place of the oldest at the port that has most: at this one, if others have no more.
    #[inline(never)]
    fn crowding(&self, port: u16) -> usize {
        let rank = |first: &First| {
            let same = self.all.iter().filter(|it| it.port == first.port);
            (same.count(), first.port == port)
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
    /// The frame of whoever has waited longest of those for whom there is room now, for the stack to be given; its length. It has as
    /// much room as the longest frame.
    #[inline(never)]
    pub fn recall(&mut self, into: &mut [u8], now: Instant) -> Option<usize> {
        for place in 0..self.crowd.count {
            let first = self.crowd.all[place];
            let ends = first.ends()?;
            // Whose listener is gone is refused by the stack.
            if let Some(listener) = self.listener_for(ends) {
                let Some(free) = self.room_at(listener).free else {
                    continue;
                };
                self.comes_to(free, now);
            }
            self.crowd.remove(place);
            into.get_mut(..first.length)?.copy_from_slice(first.frame());
            return Some(first.length);
        }
        None
    }
}
