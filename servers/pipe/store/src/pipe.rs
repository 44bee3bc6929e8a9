//! One pipe.

use crate::Side;

/// Most bytes of a name.
const LONGEST: usize = 16;

/// A pipe's name: 1 to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Name {
    /// The name, if it can be one.
    #[must_use]
    pub fn new(name: &[u8]) -> Option<Name> {
        let mut bytes = [0; LONGEST];
        let room = bytes
            .get_mut(..name.len())
            .filter(|room| !room.is_empty())?;
        room.copy_from_slice(name);
        Some(Name {
            bytes,
            length: name.len(),
        })
    }
}

/// What a pipe is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Key {
    /// Its name. No key begins with 0, so that a store without pipes is zeros, which an image need not hold.
    Name(Name) = 1,
    /// Its number, of one that has no name.
    Number(u32) = 2,
    /// The FIFO in a tree of files whose pipe it is: the number of that node.
    Node(u32) = 3,
}

/// A ring of bytes, and who is at its ends.
#[derive(Clone, Copy)]
pub struct Pipe {
    /// None of one that is removed.
    key: Option<Key>,
    /// None of those that are always there.
    pub maker: Option<u32>,
    /// Where its bytes begin among those of all pipes.
    base: usize,
    pub capacity: usize,
    head: usize,
    /// Bytes on their way.
    pub length: usize,
    readers: usize,
    writers: usize,
    /// Who is to open a side, and who has opened it: each owner's bit.
    readers_to_come: u32,
    writers_to_come: u32,
    readers_come: u32,
    writers_come: u32,
    /// Whether there has been a reader: a writer waits for the first one.
    was_read: bool,
    /// Whether there has been a writer: a reader waits for the first one.
    was_written: bool,
}

impl Pipe {
    /// A place without a pipe.
    pub const NONE: Pipe = Pipe {
        key: None,
        maker: None,
        base: 0,
        capacity: 0,
        head: 0,
        length: 0,
        readers: 0,
        writers: 0,
        readers_to_come: 0,
        writers_to_come: 0,
        readers_come: 0,
        writers_come: 0,
        was_read: false,
        was_written: false,
    };

    pub const fn new(key: Key, maker: Option<u32>, base: usize, capacity: usize) -> Pipe {
        Pipe {
            key: Some(key),
            maker,
            base,
            capacity,
            ..Pipe::NONE
        }
    }

    /// Whether it can be found by this.
    pub fn is(&self, key: Key) -> bool {
        self.key == Some(key)
    }

    /// Whether it was removed, or never made.
    pub fn is_removed(&self) -> bool {
        self.key.is_none()
    }

    fn is_closed(&self) -> bool {
        self.readers == 0 && self.writers == 0
    }

    /// The owner of this bit is to open it, unless it has done so already; the bit is 0 of one that can't any more, and is taken
    /// for one that has come and gone.
    pub fn expect(&mut self, side: Side, bit: u32) {
        let (to_come, come) = self.people(side);
        match bit {
            0 => self.is_over(side),
            _ if *come & bit == 0 => *to_come |= bit,
            _ => {}
        }
    }

    fn people(&mut self, side: Side) -> (&mut u32, &mut u32) {
        match side {
            Side::Read => (&mut self.readers_to_come, &mut self.readers_come),
            Side::Write => (&mut self.writers_to_come, &mut self.writers_come),
        }
    }

    /// Who was to come to this side is as one that has come and gone.
    fn is_over(&mut self, side: Side) {
        match side {
            Side::Read => self.was_read = true,
            Side::Write => self.was_written = true,
        }
        self.settle();
    }

    /// Whether the owner of this bit was to open it: it has ended.
    pub fn gives_up(&mut self, bit: u32) -> bool {
        let mut was_to_come = false;
        for side in [Side::Read, Side::Write] {
            let (to_come, come) = self.people(side);
            *come &= !bit;
            if *to_come & bit != 0 {
                *to_come &= !bit;
                was_to_come = true;
                self.is_over(side);
            }
        }
        was_to_come
    }

    /// Whether it goes with its maker: that of a FIFO is there for as long as somebody has an end.
    pub fn is_its_makers(&self) -> bool {
        matches!(self.key, Some(Key::Name(_) | Key::Number(_)))
    }

    /// Whether nobody can reach it any more: another one can have its place.
    pub fn is_free(&self) -> bool {
        self.is_removed() && self.is_closed()
    }

    /// Nobody finds it any more. Who waits for the first one at the other side waits for nobody.
    pub fn remove(&mut self) {
        (self.key, self.was_read, self.was_written) = (None, true, true);
        (self.readers_to_come, self.writers_to_come) = (0, 0);
        if self.is_free() {
            *self = Pipe::NONE;
        }
    }

    /// The owner of this bit has opened it.
    pub fn opened(&mut self, side: Side, bit: u32) {
        let (to_come, come) = self.people(side);
        *to_come &= !bit;
        *come |= bit;
        match side {
            Side::Read => (self.readers, self.was_read) = (self.readers + 1, true),
            Side::Write => (self.writers, self.was_written) = (self.writers + 1, true),
        }
    }

    /// An end was closed.
    pub fn closed(&mut self, side: Side) {
        match side {
            Side::Read => self.readers -= 1,
            Side::Write => self.writers -= 1,
        }
        self.settle();
    }

    /// When nobody is left at either end, a pipe with a name is as at first, and that of a FIFO is gone. One without either is
    /// for those to whom its number was given: what the first ones have written waits for the others, and when both were there
    /// it is removed.
    fn settle(&mut self) {
        if !self.is_closed() {
            return;
        }
        match self.key {
            Some(key @ Key::Name(_)) => {
                *self = Pipe::new(key, self.maker, self.base, self.capacity);
            }
            Some(Key::Number(_)) if !(self.was_read && self.was_written) => {}
            // Somebody is still to come.
            Some(Key::Number(_)) if self.readers_to_come | self.writers_to_come != 0 => {}
            _ => *self = Pipe::NONE,
        }
    }

    /// Whether there was a reader, and there is none any more.
    pub fn has_no_reader(&self) -> bool {
        self.was_read && self.readers == 0 && self.readers_to_come == 0
    }

    /// Whether there was a writer, and there is none any more.
    pub fn has_ended(&self) -> bool {
        self.was_written && self.writers == 0 && self.writers_to_come == 0
    }

    /// Whether somebody reads it now.
    pub fn is_read(&self) -> bool {
        self.readers > 0
    }

    /// Whether there is, or has been, somebody at the other side.
    pub fn has_met(&self, side: Side) -> bool {
        match side {
            Side::Read => self.was_written,
            Side::Write => self.was_read,
        }
    }

    pub fn room(&self) -> usize {
        self.capacity - self.length
    }

    /// Where the next `length` bytes go, as far as there is room: in one piece, or the first of two.
    pub fn free<'a>(&self, all: &'a mut [u8], length: usize) -> [&'a mut [u8]; 2] {
        let length = length.min(self.room());
        let ring = &mut all[self.base..self.base + self.capacity];
        let tail = (self.head + self.length) % self.capacity.max(1);
        let first = length.min(self.capacity - tail);
        let (begin, end) = ring.split_at_mut(tail);
        [&mut end[..first], &mut begin[..length - first]]
    }

    /// So many bytes are there now, of those for which [`Pipe::free`] shows the place.
    pub fn put(&mut self, length: usize) {
        self.length += length.min(self.room());
    }

    pub fn first<'a>(&self, all: &'a [u8]) -> &'a [u8] {
        let begin = self.base + self.head;
        &all[begin..begin + self.length.min(self.capacity - self.head)]
    }

    /// What does not fit behind the first piece lies at the beginning.
    pub fn second<'a>(&self, all: &'a [u8]) -> &'a [u8] {
        let first = self.length.min(self.capacity - self.head);
        &all[self.base..self.base + self.length - first]
    }

    pub fn take(&mut self, length: usize) {
        let length = length.min(self.length);
        self.head = (self.head + length) % self.capacity.max(1);
        self.length -= length;
    }
}
