//! What the names server keeps: which names there are, whose they are, and who may register and find which.
//!
//! Nothing here knows of messages or calls. A client is known by its badge. What a name leads to is a number, its
//! provider. To find a name takes time with the bytes of the path, not with the number of names.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod client;
mod name;
mod table;
#[cfg(test)]
mod tests;

pub use client::{Client, Right};
pub use name::{LONGEST, Name};

use client::Clients;
use name::each_folder;
use table::{Entry, Table};

/// Most clients: each is a bit of a word.
pub const CLIENTS: usize = 32;

/// Why something is not done; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is no name: see [`Name::new`].
    BadName,
    /// The client may not register, or find, anything of that name.
    NotAllowed,
    /// There is no such name that it may find; or none of its own.
    NoSuchName,
    /// Somebody else has the name.
    Taken,
    /// The client has as many names as it may.
    TooMany,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// What the name was registered for.
    pub provider: u8,
    /// Bytes of the path that are the name.
    pub covered: usize,
}

/// A name in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The name.
    pub name: Name,
    /// What it was registered for.
    pub provider: u8,
    /// Where the list goes on.
    pub next: usize,
}

/// The tree: at most `NAMES` names, found by `BUCKETS` buckets, a power of two.
pub struct Tree<const NAMES: usize, const BUCKETS: usize> {
    table: Table<NAMES, BUCKETS>,
    clients: Clients,
    /// Names that a client can have.
    most: usize,
}

impl<const NAMES: usize, const BUCKETS: usize> Tree<NAMES, BUCKETS> {
    /// One without clients.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            table: Table::new(),
            clients: Clients::new(),
            most: 0,
        }
    }

    /// Lets the client with this badge register or find what `pattern` says: a name, or all below one if it ends in
    /// `/*`. Whether there was room. All this comes before the first name.
    pub fn allow(&mut self, badge: u32, right: Right, pattern: &'static str) -> bool {
        let allowed = self.clients.allow(badge, right, pattern);
        // So that nobody's names leave no room for others'.
        self.most = NAMES / self.clients.registering().max(1);
        allowed
    }

    /// How many clients there are.
    #[must_use]
    pub fn clients(&self) -> usize {
        self.clients.count()
    }

    /// The client with this badge.
    #[must_use]
    pub fn client(&self, badge: u32) -> Option<Client> {
        self.clients.find(badge)
    }

    /// Gives a name to what `provider` stands for. It may have been the client's already, for this or another provider
    /// of its own.
    ///
    /// # Errors
    /// [`Refused::BadName`], [`Refused::NotAllowed`], [`Refused::Taken`], [`Refused::TooMany`].
    pub fn register(&mut self, client: Client, provider: u8, name: &[u8]) -> Result<(), Refused> {
        let name = Name::new(name).ok_or(Refused::BadName)?;
        if !self.clients.may(client, Right::Register, name) {
            return Err(Refused::NotAllowed);
        }
        if let Some(place) = self.table.find(name.as_bytes(), name.hash()) {
            let entry = self.table.entry_mut(place);
            if entry.owner != client {
                return Err(Refused::Taken);
            }
            if entry.provider != provider {
                entry.provider = provider;
                let finders = entry.finders;
                self.clients.note_change(finders);
            }
            return Ok(());
        }
        if self.clients.names_of(client) >= self.most {
            return Err(Refused::TooMany);
        }
        let finders = self.clients.who_may_find(name);
        let entry = Entry::new(name, client, provider, finders);
        if !self.table.insert(entry) {
            return Err(Refused::TooMany);
        }
        self.clients.count_name(client, 1);
        self.clients.note_change(finders);
        Ok(())
    }

    /// Gives up a name of the client's.
    ///
    /// # Errors
    /// [`Refused::BadName`], [`Refused::NoSuchName`].
    pub fn unregister(&mut self, client: Client, name: &[u8]) -> Result<(), Refused> {
        let name = Name::new(name).ok_or(Refused::BadName)?;
        let place = self.table.find(name.as_bytes(), name.hash());
        let own = place.filter(|place| self.table.entry_mut(*place).owner == client);
        self.remove(own.ok_or(Refused::NoSuchName)?);
        Ok(())
    }

    /// What a name was registered for.
    #[must_use]
    pub fn provider(&self, name: &[u8]) -> Option<u8> {
        let place = self.table.find(name, Name::new(name)?.hash())?;
        Some(self.table.entry(place).provider)
    }

    /// What `provider` stands for is no more: all its names are gone.
    pub fn end(&mut self, provider: u8) {
        for place in 0..NAMES {
            let entry = self.table.get(place);
            if entry.is_some_and(|entry| entry.provider == provider) {
                self.remove(place);
            }
        }
    }

    fn remove(&mut self, place: usize) {
        if let Some(entry) = self.table.remove(place) {
            self.clients.count_name(entry.owner, -1);
            self.clients.note_change(entry.finders);
        }
    }

    /// The longest name that is `path`, or a folder that `path` is below, of those that the client may find.
    ///
    /// # Errors
    /// [`Refused::BadName`] unless the path begins with `/` and has no zero; [`Refused::NoSuchName`].
    // For the cases that are rare, too: each would have a copy of its own.
    #[inline(never)]
    pub fn locate(&self, client: Client, path: &[u8]) -> Result<Found, Refused> {
        let mut found = Err(Refused::NoSuchName);
        let bit = client.bit();
        let is_path = each_folder(path, |covered, hash| {
            let name = path.get(..covered).unwrap_or_default();
            let entry = self.table.find(name, hash).map(|it| self.table.entry(it));
            if let Some(entry) = entry.filter(|entry| entry.finders & bit != 0) {
                let provider = entry.provider;
                found = Ok(Found { provider, covered });
            }
        });
        if is_path {
            found
        } else {
            Err(Refused::BadName)
        }
    }

    /// Whether there could be a name for which [`Tree::locate`] finds something. It says nothing about which there are.
    #[must_use]
    #[inline(never)]
    pub fn may_find(&self, client: Client, path: &[u8]) -> bool {
        let mut may = false;
        let is_path = each_folder(path, |covered, _| {
            let name = Name::new(path.get(..covered).unwrap_or_default());
            may |= name.is_some_and(|name| self.clients.may(client, Right::Find, name));
        });
        is_path && may
    }

    /// The first name that is `folder` or below it and that the client may find, from a place on; 0 is the first. A name
    /// keeps its place as long as it is there. `/` is the folder of all.
    #[must_use]
    pub fn list(&self, client: Client, folder: &[u8], from: usize) -> Option<Listed> {
        let folder = folder.strip_suffix(b"/").unwrap_or(folder);
        (from..NAMES).find_map(|place| {
            let entry = self.table.get(place)?;
            let rest = entry.name.as_bytes().strip_prefix(folder)?;
            let is_inside = rest.is_empty() || rest.first() == Some(&b'/');
            (is_inside && entry.finders & client.bit() != 0).then_some(Listed {
                name: entry.name,
                provider: entry.provider,
                next: place + 1,
            })
        })
    }

    /// Counts the changes of what the client may find, from 1.
    #[must_use]
    pub fn changes(&self, client: Client) -> u32 {
        self.clients.changes(client)
    }
}

impl<const NAMES: usize, const BUCKETS: usize> Default for Tree<NAMES, BUCKETS> {
    fn default() -> Self {
        Self::new()
    }
}
