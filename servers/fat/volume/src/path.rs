//! From a path to what it names.

use block_disk::Disk;
use files_store::{NAME, PATH, Refused};
use hadris_fat::embedded::Dir;
use hadris_fat::embedded::sync::Fat;

use crate::disk::Window;
use crate::done;

/// What a path leads to.
pub enum Found<'p> {
    /// A directory that has no name in the path: the root, or one that `.` or `..` means.
    Directory(Dir),
    /// A name, of something that is there or not, in a directory that is.
    Name {
        /// That directory.
        parent: Dir,
        /// The name in there.
        name: &'p str,
        /// Whether the path ends as only that of a directory may.
        slash: bool,
    },
}

/// What a path leads to, from the root: names with `/` between them, `.` and `..`.
pub fn walk<'p, D: Disk, const FILES: usize>(
    fat: &mut Fat<'_, Window<D>, FILES>,
    path: &'p [u8],
) -> Result<Found<'p>, Refused> {
    if path.len() > PATH {
        return Err(Refused::NameTooLong);
    }
    let path = core::str::from_utf8(path).map_err(|_| Refused::Invalid)?;
    if path.is_empty() {
        return Err(Refused::NotFound);
    }
    let slash = path.ends_with('/');
    let mut at = fat.root();
    let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
    while let Some(name) = names.next() {
        if name.len() > NAME {
            return Err(Refused::NameTooLong);
        }
        if names.peek().is_none() && !matches!(name, "." | "..") {
            return Ok(Found::Name {
                parent: at,
                name,
                slash,
            });
        }
        at = done(fat.open_dir(at, name))?;
    }
    Ok(Found::Directory(at))
}
