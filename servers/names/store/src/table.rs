//! The names by their hashes: buckets of chains.

use crate::client::Client;
use crate::name::Name;

/// A name that is registered.
#[derive(Clone, Copy)]
pub struct Entry {
    pub name: Name,
    hash: u32,
    pub owner: Client,
    pub provider: u8,
    /// The clients that may find it, a bit each.
    pub finders: u32,
    /// The next one of its bucket, or of those that are free.
    next: Link,
    used: bool,
}

impl Entry {
    const NONE: Entry = Entry {
        name: Name::NONE,
        hash: 0,
        owner: Client::UNKNOWN,
        provider: 0,
        finders: 0,
        next: Link::END,
        used: false,
    };

    pub fn new(name: Name, owner: Client, provider: u8, finders: u32) -> Entry {
        Entry {
            name,
            hash: name.hash(),
            owner,
            provider,
            finders,
            next: Link::END,
            used: true,
        }
    }
}

/// Leads to a place, or nowhere: that is 0, so that a table begins as zeros, which take no room in an image.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Link(u16);

impl Link {
    const END: Link = Link(0);

    fn to(place: usize) -> Link {
        Link(place as u16 + 1)
    }

    /// The place; what leads nowhere leads beyond any table.
    #[inline(always)]
    fn place(self) -> usize {
        usize::from(self.0).wrapping_sub(1)
    }
}

pub struct Table<const NAMES: usize, const BUCKETS: usize> {
    buckets: [Link; BUCKETS],
    entries: [Entry; NAMES],
    /// The first free place that has been used before.
    free: Link,
    /// Places from here on have not.
    fresh: u16,
}

impl<const NAMES: usize, const BUCKETS: usize> Table<NAMES, BUCKETS> {
    pub const fn new() -> Self {
        assert!(BUCKETS.is_power_of_two() && NAMES < u16::MAX as usize);
        Self {
            buckets: [Link::END; BUCKETS],
            entries: [Entry::NONE; NAMES],
            free: Link::END,
            fresh: 0,
        }
    }

    fn bucket(hash: u32) -> usize {
        // The low bits of a product know nothing of the high ones.
        (hash ^ hash >> 16) as usize & (BUCKETS - 1)
    }

    /// The place of a name with this hash.
    pub fn find(&self, name: &[u8], hash: u32) -> Option<usize> {
        let mut place = self.buckets[Self::bucket(hash)].place();
        while let Some(entry) = self.entries.get(place) {
            if entry.hash == hash && entry.name.is(name) {
                return Some(place);
            }
            place = entry.next.place();
        }
        None
    }

    /// What is at a place.
    pub fn get(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place).filter(|entry| entry.used)
    }

    /// What is at a place that [`Table::find`] has found.
    pub fn entry(&self, place: usize) -> &Entry {
        &self.entries[place]
    }

    /// As [`Table::entry`], to be changed.
    pub fn entry_mut(&mut self, place: usize) -> &mut Entry {
        &mut self.entries[place]
    }

    /// Whether there was room.
    pub fn insert(&mut self, entry: Entry) -> bool {
        let free = self.free.place();
        let place = if let Some(first) = self.entries.get(free) {
            self.free = first.next;
            free
        } else if usize::from(self.fresh) < NAMES {
            self.fresh += 1;
            usize::from(self.fresh) - 1
        } else {
            return false;
        };
        let first = &mut self.buckets[Self::bucket(entry.hash)];
        let next = core::mem::replace(first, Link::to(place));
        self.entries[place] = Entry { next, ..entry };
        true
    }

    /// Takes away what is at a place.
    pub fn remove(&mut self, place: usize) -> Option<Entry> {
        let entry = *self.get(place)?;
        let bucket = Self::bucket(entry.hash);
        if self.buckets[bucket].place() == place {
            self.buckets[bucket] = entry.next;
        } else {
            let mut before = self.buckets[bucket].place();
            while self.entries.get(before)?.next.place() != place {
                before = self.entries[before].next.place();
            }
            self.entries[before].next = entry.next;
        }
        self.entries[place] = Entry {
            next: self.free,
            ..Entry::NONE
        };
        self.free = Link::to(place);
        Some(entry)
    }
}
