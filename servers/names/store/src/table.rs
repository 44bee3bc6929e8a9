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
    next: u16,
    used: bool,
}

impl Entry {
    const NONE: Entry = Entry {
        name: Name::NONE,
        hash: 0,
        owner: Client::NONE,
        provider: 0,
        finders: 0,
        next: END,
        used: false,
    };

    pub fn new(name: Name, owner: Client, provider: u8, finders: u32) -> Entry {
        Entry {
            name,
            hash: name.hash(),
            owner,
            provider,
            finders,
            next: END,
            used: true,
        }
    }
}

const END: u16 = u16::MAX;

pub struct Table<const NAMES: usize, const BUCKETS: usize> {
    buckets: [u16; BUCKETS],
    entries: [Entry; NAMES],
    /// The first free place that has been used before.
    free: u16,
    /// Places from here on have not.
    fresh: u16,
}

impl<const NAMES: usize, const BUCKETS: usize> Table<NAMES, BUCKETS> {
    pub const fn new() -> Self {
        assert!(BUCKETS.is_power_of_two() && NAMES < END as usize);
        Self {
            buckets: [END; BUCKETS],
            entries: [Entry::NONE; NAMES],
            free: END,
            fresh: 0,
        }
    }

    fn bucket(hash: u32) -> usize {
        // The low bits of a product know nothing of the high ones.
        (hash ^ hash >> 16) as usize & (BUCKETS - 1)
    }

    /// The place of a name with this hash.
    pub fn find(&self, name: &[u8], hash: u32) -> Option<usize> {
        let mut next = self.buckets[Self::bucket(hash)];
        while let Some(entry) = self.entries.get(usize::from(next)) {
            if entry.hash == hash && entry.name.is(name) {
                return Some(next.into());
            }
            next = entry.next;
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
        let place = if let Some(free) = self.entries.get(usize::from(self.free)) {
            core::mem::replace(&mut self.free, free.next)
        } else if usize::from(self.fresh) < NAMES {
            self.fresh += 1;
            self.fresh - 1
        } else {
            return false;
        };
        let first = &mut self.buckets[Self::bucket(entry.hash)];
        let next = core::mem::replace(first, place);
        self.entries[usize::from(place)] = Entry { next, ..entry };
        true
    }

    /// Takes away what is at a place.
    pub fn remove(&mut self, place: usize) -> Option<Entry> {
        let entry = *self.get(place)?;
        let bucket = Self::bucket(entry.hash);
        if usize::from(self.buckets[bucket]) == place {
            self.buckets[bucket] = entry.next;
        } else {
            let mut before = usize::from(self.buckets[bucket]);
            while usize::from(self.entries.get(before)?.next) != place {
                before = self.entries[before].next.into();
            }
            self.entries[before].next = entry.next;
        }
        self.entries[place] = Entry {
            next: self.free,
            ..Entry::NONE
        };
        self.free = place as u16;
        Some(entry)
    }
}
