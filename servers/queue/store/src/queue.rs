//! A queue: its messages lie in slots of the store's bytes.

use crate::LEVELS;
use crate::list::{Ends, NONE};

/// Bytes of a slot before its message: the message's length, and the next slot of its list.
const HEADER: usize = 4;

/// A queue's name: up to 16 bytes, zeros behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name([u8; 16]);

impl Name {
    /// The name, unless it is empty or too long.
    #[must_use]
    pub fn new(text: &[u8]) -> Option<Name> {
        let mut name = [0; 16];
        name.get_mut(..text.len())?.copy_from_slice(text);
        (!text.is_empty() && !text.contains(&0)).then_some(Name(name))
    }
}

/// A queue can't be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is one of that name with another capacity or size.
    Differs,
    /// It would hold no message, or too many to count.
    Shape,
    /// There are too many queues, or too few bytes are left.
    NoRoom,
}

/// Bytes that a queue takes for its messages.
#[must_use]
pub fn bytes(capacity: u16, size: u16) -> usize {
    usize::from(capacity) * (HEADER + usize::from(size))
}

/// A queue without the bytes of its messages.
#[derive(Clone, Copy)]
pub struct Queue {
    pub name: Name,
    pub capacity: u16,
    pub size: u16,
    /// Where its slots begin in the store's bytes.
    start: usize,
    free: u16,
    messages: [Ends; LEVELS],
    /// Who waits for room, and for messages.
    pub waiting: [[Ends; LEVELS]; 2],
}

impl Queue {
    /// None.
    pub const NONE: Queue = Queue::new(Name([0; 16]), 0, 0, 0);

    /// An empty one, once its slots are cleared.
    pub const fn new(name: Name, capacity: u16, size: u16, start: usize) -> Queue {
        Queue {
            name,
            capacity,
            size,
            start,
            free: NONE,
            messages: [Ends::EMPTY; LEVELS],
            waiting: [[Ends::EMPTY; LEVELS]; 2],
        }
    }

    /// Makes all slots free.
    pub fn clear(&mut self, bytes: &mut [u8]) {
        for slot in (0..self.capacity).rev() {
            self.set_next(bytes, slot, self.free);
            self.free = slot;
        }
    }

    pub fn has_room(&self) -> bool {
        self.free != NONE
    }

    pub fn push(&mut self, bytes: &mut [u8], level: usize, message: &[u8]) {
        assert!(message.len() <= usize::from(self.size), "a message fits");
        let slot = self.free;
        assert!(slot != NONE, "there is room");
        self.free = self.next(bytes, slot);
        self.set_next(bytes, slot, NONE);
        let place = &mut bytes[self.place(slot)..];
        place[..2].copy_from_slice(&(message.len() as u16).to_le_bytes());
        place[HEADER..HEADER + message.len()].copy_from_slice(message);
        let last = core::mem::replace(&mut self.messages[level].last, slot);
        if last == NONE {
            self.messages[level].first = slot;
        } else {
            self.set_next(bytes, last, slot);
        }
    }

    pub fn first<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let level = self.level()?;
        let place = &bytes[self.place(self.messages[level].first)..];
        let length = u16::from_le_bytes([place[0], place[1]]);
        Some(&place[HEADER..HEADER + usize::from(length)])
    }

    pub fn pop(&mut self, bytes: &mut [u8]) {
        let Some(level) = self.level() else { return };
        let slot = self.messages[level].first;
        let next = self.next(bytes, slot);
        self.messages[level].first = next;
        if next == NONE {
            self.messages[level].last = NONE;
        }
        self.set_next(bytes, slot, self.free);
        self.free = slot;
    }

    /// The highest level that has a message.
    fn level(&self) -> Option<usize> {
        self.messages.iter().rposition(|list| list.first != NONE)
    }

    fn place(&self, slot: u16) -> usize {
        self.start + usize::from(slot) * (HEADER + usize::from(self.size))
    }

    fn next(&self, bytes: &[u8], slot: u16) -> u16 {
        let place = self.place(slot) + 2;
        u16::from_le_bytes([bytes[place], bytes[place + 1]])
    }

    fn set_next(&self, bytes: &mut [u8], slot: u16, next: u16) {
        let place = self.place(slot) + 2;
        bytes[place..place + 2].copy_from_slice(&next.to_le_bytes());
    }
}
