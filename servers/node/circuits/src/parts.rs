//! The parts of a message: those that are sent, and those that come.

use crate::PARTS;
use crate::pace::{HELD, Pace, SHORTEST};
use crate::wire::{all_parts, parts_of};

/// Parts that are sent until they are acknowledged.
///
/// A part is *on the way* from when it is sent until it is acknowledged or taken for lost: when something that was sent after it
/// has come, or when its time is over.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    count: usize,
    /// Sent, and sent more than once.
    sent: u16,
    again: u16,
    came: u16,
    on_the_way: u16,
    /// When each was sent last: the how manieth of all that were sent.
    turns: [u8; PARTS],
    turn: u8,
    /// Was sent again because its time was over, and nothing has been heard since.
    overdue: u16,
    not_before: u64,
    sent_at: u64,
    resend_at: u64,
    /// The part whose acknowledgement is measured, and when it was sent: only one that was sent once says something (Karn).
    timed: Option<(u8, u64)>,
}

impl Leaving {
    /// Those of a message of so many bytes.
    pub const fn new(length: usize) -> Leaving {
        Leaving {
            count: parts_of(length),
            sent: 0,
            again: 0,
            came: 0,
            on_the_way: 0,
            turns: [0; PARTS],
            turn: 0,
            overdue: 0,
            not_before: 0,
            sent_at: 0,
            resend_at: 0,
            timed: None,
        }
    }

    /// How many there are.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Whether anything has been sent.
    pub const fn is_begun(&self) -> bool {
        self.sent != 0
    }

    /// Whether this part has been sent.
    pub const fn has_sent(&self, part: usize) -> bool {
        self.sent >> part & 1 != 0
    }

    /// Whether more than one frame has been sent.
    pub const fn is_repeated(&self) -> bool {
        self.turn > 1
    }

    /// How many are on the way.
    pub const fn on_the_way(&self) -> u32 {
        self.on_the_way.count_ones()
    }

    fn open(&self) -> u16 {
        all_parts(self.count) & !self.came
    }

    /// Whether all have come.
    pub fn is_all(&self) -> bool {
        self.open() == 0
    }

    /// Which part is to be sent next, and when. `has_room` says whether one more may be on the way; of each message one may.
    pub fn next(&self, has_room: bool) -> Option<(u64, usize)> {
        let open = self.open();
        if open == 0 {
            return None;
        }
        let rest = open & !self.on_the_way;
        if rest != 0 && (has_room || self.on_the_way == 0) {
            return Some((self.not_before, rest.trailing_zeros() as usize));
        }
        Some((self.resend_at, self.on_the_way.trailing_zeros() as usize))
    }

    /// This part is sent; whether once more.
    pub fn sent(&mut self, part: usize, now: u64, pace: &mut Pace) -> bool {
        let bit = 1 << part;
        let is_again = self.sent & bit != 0;
        if self.on_the_way & bit != 0 {
            pace.late(now);
            self.overdue |= bit;
        }
        if is_again {
            self.again |= bit;
            self.timed = self.timed.filter(|(timed, _)| usize::from(*timed) != part);
        } else if self.timed.is_none() {
            self.timed = Some((part as u8, now));
        }
        self.sent |= bit;
        self.on_the_way |= bit;
        // At the end of the count only time tells what is lost.
        self.turn = self.turn.saturating_add(1);
        if let Some(turn) = self.turns.get_mut(part) {
            *turn = self.turn;
        }
        self.sent_at = now;
        self.resend_at = now + pace.wait();
        is_again
    }

    /// These have come, as an answer says that was held back for so many microseconds.
    pub fn acknowledged(&mut self, mask: u16, held: u32, now: u64, pace: &mut Pace) {
        let news = mask & self.open();
        if news == 0 {
            return;
        }
        if let Some((part, at)) = self.timed
            && news >> part & 1 != 0
        {
            self.timed = None;
            let time = now.saturating_sub(at);
            pace.measured(time.saturating_sub(u64::from(held) * 1000));
        }
        self.came |= news;
        self.on_the_way &= !news;
        if self.is_all() {
            return;
        }
        // Of a part that was sent again nobody knows which of both has come: what was sent once says when it was.
        let sure = news & !self.again;
        let mut latest = self.latest(sure);
        if self.overdue & news != 0 {
            if sure == 0 {
                // Nothing but that has come: what was sent before it has not.
                latest = self.latest(news);
            }
            self.overdue = 0;
        }
        for (part, turn) in self.turns.iter().enumerate() {
            if *turn < latest {
                self.on_the_way &= !(1 << part);
            }
        }
        self.resend_at = now + pace.wait();
    }

    /// The turn of that one of these which was sent last.
    fn latest(&self, of: u16) -> u8 {
        let turns = self.turns.iter().enumerate();
        let among = turns.filter(|(part, _)| of >> part & 1 != 0);
        among.map(|(_, turn)| *turn).max().unwrap_or(0)
    }

    /// Nothing before this moment, and all that has not come then.
    pub fn hold(&mut self, until: u64) {
        self.on_the_way = 0;
        self.overdue = 0;
        self.not_before = until;
        self.timed = None;
    }

    /// The other node does not seem to have got it: all of it now, if it is not just on its way.
    pub fn hurry(&mut self, now: u64) {
        if now.saturating_sub(self.sent_at) >= SHORTEST {
            self.hold(now);
        }
    }
}

/// Parts that come.
#[derive(Clone, Copy, Debug)]
pub struct Coming {
    count: usize,
    /// Bytes of the whole message.
    pub length: usize,
    /// Which have come.
    pub got: u16,
    /// How many have come that are not acknowledged.
    owed: u32,
    tell_at: u64,
    got_at: u64,
}

impl Coming {
    /// Those of a message of so many bytes.
    pub const fn new(length: usize) -> Coming {
        Coming {
            count: parts_of(length),
            length,
            got: 0,
            owed: 0,
            tell_at: 0,
            got_at: 0,
        }
    }

    /// Whether all have come.
    pub fn is_all(&self) -> bool {
        self.got == all_parts(self.count)
    }

    /// This one has come, of which the other node has so many on the way at once; whether it is new.
    pub fn note(&mut self, part: usize, now: u64, window: u32) -> bool {
        let bit = 1 << part;
        let is_new = self.got & bit == 0;
        self.got |= bit;
        self.got_at = now;
        let has_hole = self.got & self.got.wrapping_add(1) != 0 && !self.is_all();
        self.owed += 1;
        let at = if !is_new || has_hole || self.owed >= window.div_ceil(2) && !self.is_all() {
            now
        } else {
            now + HELD
        };
        self.tell_at = if self.owed == 1 {
            at
        } else {
            self.tell_at.min(at)
        };
        is_new
    }

    /// When it is to be told which have come.
    pub fn tell_at(&self) -> Option<u64> {
        (self.owed > 0).then_some(self.tell_at)
    }

    /// It is to be told at once.
    pub fn tell_now(&mut self, now: u64) {
        self.owed = self.owed.max(1);
        self.tell_at = now;
        self.got_at = now;
    }

    /// It is told now: for how many microseconds that was held back.
    pub fn told(&mut self, now: u64) -> u32 {
        self.owed = 0;
        self.held(now)
    }

    /// Microseconds since the last part came.
    pub fn held(&self, now: u64) -> u32 {
        u32::try_from(now.saturating_sub(self.got_at) / 1000).unwrap_or(u32::MAX)
    }
}
