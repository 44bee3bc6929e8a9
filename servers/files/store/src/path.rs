//! From a path to what it names.

use crate::Refused;
use crate::disk::{Disk, Kind, Name, ROOT};
use crate::memory::Memory;

/// The longest path, in bytes.
pub const PATH: usize = 128;

/// What a path leads to.
pub enum Found<'p> {
    /// Something that is there.
    Entry(usize),
    /// Nothing, but there is a directory for it.
    Absent {
        /// That directory.
        parent: usize,
        /// Its name in there.
        name: &'p [u8],
        /// Whether the path ends as only that of a directory may.
        slash: bool,
    },
}

impl Found<'_> {
    /// What is there.
    pub fn entry(self) -> Result<usize, Refused> {
        match self {
            Found::Entry(entry) => Ok(entry),
            Found::Absent { .. } => Err(Refused::NotFound),
        }
    }
}

impl<M: Memory> Disk<M> {
    /// What a path leads to, from the root: names with `/` between them, `.` and `..`. Takes time with the names and
    /// the number of all entries.
    pub fn walk<'p>(&self, path: &'p [u8]) -> Result<Found<'p>, Refused> {
        if path.len() > PATH {
            return Err(Refused::NameTooLong);
        }
        if path.is_empty() {
            return Err(Refused::NotFound);
        }
        let slash = path.last() == Some(&b'/');
        let mut at = ROOT;
        let mut names = path.split(|byte| *byte == b'/');
        while let Some(name) = names.next() {
            if name.is_empty() {
                continue;
            }
            self.directory(at)?;
            match name {
                [b'.'] => continue,
                [b'.', b'.'] => at = self.parent(at).unwrap_or(ROOT),
                _ => {
                    let sought = Name::new(name)?;
                    match self.find(at, &sought) {
                        Some(entry) => at = entry,
                        // What is there has a name that is one.
                        None if !sought.is_sound() => return Err(Refused::Invalid),
                        None if names.all(<[u8]>::is_empty) => {
                            let parent = at;
                            return Ok(Found::Absent {
                                parent,
                                name,
                                slash,
                            });
                        }
                        None => return Err(Refused::NotFound),
                    }
                }
            }
        }
        if slash {
            self.directory(at)?;
        }
        Ok(Found::Entry(at))
    }

    /// As [`Disk::walk`], for a name that is given or taken: the root has none, nor has what a path that ends in `.` or `..`
    /// leads to.
    pub fn walk_to_name<'p>(&self, path: &'p [u8]) -> Result<Found<'p>, Refused> {
        let found = self.walk(path)?;
        let mut names = path.rsplit(|byte| *byte == b'/');
        match names.find(|name| !name.is_empty()) {
            None | Some(b"." | b"..") => Err(Refused::Invalid),
            Some(_) => Ok(found),
        }
    }

    /// Refuses what is no directory.
    pub fn directory(&self, entry: usize) -> Result<(), Refused> {
        match self.kind(entry) {
            Some(Kind::Directory) => Ok(()),
            _ => Err(Refused::NotDirectory),
        }
    }
}
