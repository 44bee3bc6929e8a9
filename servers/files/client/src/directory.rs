//! The entries of a directory.

use riposte::Deadline;

use crate::protocol::{NAME, STAT, operation};
use crate::{File, FileError, SeekFrom, Stat, stat, whole, words};

/// A directory that is open. It shows each entry that is there all the time once, whatever comes and goes meanwhile.
#[derive(Debug)]
pub struct Directory<'a> {
    file: File<'a>,
}

/// An entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub stat: Stat,
    name: [u8; NAME],
    length: usize,
}

impl Entry {
    /// Its name in the directory.
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.name.get(..self.length).unwrap_or_default();
        core::str::from_utf8(name).unwrap_or_default()
    }
}

impl<'a> Directory<'a> {
    pub(crate) fn new(file: File<'a>) -> Directory<'a> {
        Directory { file }
    }

    /// The next entry; none at the end.
    ///
    /// # Errors
    /// [`FileError::Kernel`] if the server can't be asked.
    pub fn next_entry(&self) -> Result<Option<Entry>, FileError> {
        self.next_entry_until(Deadline::None)
    }

    /// As [`Directory::next_entry`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`Directory::next_entry`].
    pub fn next_entry_until(
        &self,
        deadline: impl Into<Deadline>,
    ) -> Result<Option<Entry>, FileError> {
        let mut answer = [0; STAT + NAME];
        let length = self
            .file
            .call(operation::LIST, &[], &mut answer, deadline.into())?;
        if length == 0 {
            return Ok(None);
        }
        let (head, name) = answer.split_at(STAT);
        let name: [u8; NAME] = name.try_into().map_err(|_| FileError::Garbled)?;
        let length = length.checked_sub(STAT).ok_or(FileError::Garbled)?;
        let text = name.get(..length).map(core::str::from_utf8);
        whole(matches!(text, Some(Ok(_))))?;
        Ok(Some(Entry {
            stat: stat(words(head)),
            name,
            length,
        }))
    }

    /// Begins again.
    ///
    /// # Errors
    /// As [`Directory::next_entry`].
    pub fn rewind(&self) -> Result<(), FileError> {
        self.file.seek(SeekFrom::Start(0)).map(drop)
    }
}

impl Iterator for Directory<'_> {
    type Item = Result<Entry, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_entry().transpose()
    }
}
