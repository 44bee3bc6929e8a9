//! The parts of a message: those that are sent, and those that come.

use crate::WINDOW;
use crate::pace::{HELD, Pace};
use crate::wire::{all_parts, parts_of};

/// Parts that are sent until they are acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    count: usize,
    came: u16,
    on_the_way: u16,
    not_before: u64,
    sent_at: u64,
    resend_at: u64,
    again: u32,
    /// Whether anything has been sent.
    pub is_begun: bool,
    /// Whether the time to the first acknowledgement has been measured, or cannot be.
    is_measured: bool,
}

impl Leaving {
    /// Those of a message of so many bytes.
    pub const fn new(length: usize) -> Leaving {
        Leaving {
            count: parts_of(length),
            came: 0,
            on_the_way: 0,
            not_before: 0,
            sent_at: 0,
            resend_at: 0,
            again: 0,
            is_begun: false,
            is_measured: false,
        }
    }

    /// How many there are.
    pub const fn count(&self) -> usize {
        self.count
    }

    fn open(&self) -> u16 {
        all_parts(self.count) & !self.came
    }

    /// Whether all have come.
    pub fn is_all(&self) -> bool {
        self.open() == 0
    }

    /// Which part is to be sent next, and when.
    pub fn next(&self) -> Option<(u64, usize)> {
        let open = self.open();
        if open == 0 {
            return None;
        }
        let rest = open & !self.on_the_way;
        let has_room = (self.on_the_way & open).count_ones() < WINDOW;
        if rest != 0 && has_room {
            return Some((self.not_before, rest.trailing_zeros() as usize));
        }
        Some((self.resend_at, open.trailing_zeros() as usize))
    }

    /// This part is sent; whether once more.
    pub fn sent(&mut self, part: usize, now: u64, pace: &Pace) -> bool {
        let bit = 1 << part;
        let is_again = self.on_the_way & bit != 0;
        if is_again {
            // Nothing has been heard: all that was on the way may be lost.
            self.on_the_way = 0;
            self.again += 1;
            self.is_measured = true;
        }
        if !self.is_begun {
            self.sent_at = now;
        }
        self.is_begun = true;
        self.on_the_way |= bit;
        self.resend_at = now + pace.wait(self.again);
        is_again
    }

    /// These have come, as an answer says that was held back for so many microseconds.
    pub fn acknowledged(&mut self, mask: u16, held: u32, now: u64, pace: &mut Pace) {
        let news = mask & self.open();
        if news == 0 {
            return;
        }
        if !self.is_measured {
            self.is_measured = true;
            let time = now.saturating_sub(self.sent_at);
            pace.measured(time.saturating_sub(u64::from(held) * 1000));
        }
        self.came |= news;
        self.again = 0;
        // What was sent before something that has come is lost, or late.
        let highest = u16::BITS - mask.leading_zeros();
        let before = all_parts(highest as usize);
        self.on_the_way &= !self.came & !before;
        self.resend_at = now + pace.wait(0);
    }

    /// Nothing before this moment, and all that has not come then.
    pub fn hold(&mut self, until: u64) {
        self.on_the_way = 0;
        self.not_before = until;
        self.is_measured = true;
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

    /// This one has come; whether it is new.
    pub fn note(&mut self, part: usize, now: u64) -> bool {
        let bit = 1 << part;
        let is_new = self.got & bit == 0;
        self.got |= bit;
        self.got_at = now;
        let has_hole = self.got & self.got.wrapping_add(1) != 0 && !self.is_all();
        self.owed += 1;
        let at = if !is_new || has_hole || self.owed >= WINDOW / 2 && !self.is_all() {
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
