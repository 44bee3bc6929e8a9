//! Lists of programs: those that run, and those that there are.

use core::str;

use riposte::{Deadline, Status};

use crate::protocol::{LISTED, LONGEST_NAME, PROGRAM, operation, status};
use crate::{Pid, ProcessError, Processes};

/// The name of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name {
    bytes: [u8; LONGEST_NAME],
    length: usize,
}

impl Name {
    fn new(text: &[u8]) -> Name {
        let mut bytes = [0; LONGEST_NAME];
        let length = text.len().min(LONGEST_NAME);
        bytes
            .iter_mut()
            .zip(text)
            .for_each(|(to, from)| *to = *from);
        Name { bytes, length }
    }

    fn as_str(&self) -> &str {
        let text = self.bytes.get(..self.length).unwrap_or_default();
        str::from_utf8(text).unwrap_or_default()
    }
}

/// A program that runs, or whose parent has not waited for its end yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Names it.
    pub pid: Pid,
    /// The process that has spawned it, by its index in the manifest; none if that has ended, or it is nobody's child.
    pub parent: Option<u32>,
    /// It has ended.
    pub has_ended: bool,
    /// Where the list goes on.
    pub next: u16,
    name: Name,
}

impl Listed {
    /// The program's name.
    #[must_use]
    pub fn program(&self) -> &str {
        self.name.as_str()
    }
}

/// A program that this process may spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// How often it can run at once.
    pub instances: u32,
    /// How many of these are nobody's now.
    pub free: u32,
    /// Where the list goes on.
    pub next: u16,
    name: Name,
}

impl Program {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }
}

impl Processes {
    /// The first program that runs, of those that this process may spawn, from a place on; 0 is the first. Waits only for
    /// the process manager.
    ///
    /// # Errors
    /// [`ProcessError::Kernel`] if the process manager can't be asked.
    pub fn list(&self, from: u16) -> Result<Option<Listed>, ProcessError> {
        let mut room = [0; LISTED + LONGEST_NAME];
        let Some((words, name)) = self.next(operation::LIST, from, &mut room, LISTED)? else {
            return Ok(None);
        };
        let [next, pid, parent, has_ended] = words;
        Ok(Some(Listed {
            pid: Pid(pid),
            parent: parent.checked_sub(1),
            has_ended: has_ended != 0,
            next: next as u16,
            name,
        }))
    }

    /// The first program that this process may spawn, from a place on; 0 is the first. Waits only for the process
    /// manager.
    ///
    /// # Errors
    /// [`ProcessError::Kernel`] if the process manager can't be asked.
    pub fn programs(&self, from: u16) -> Result<Option<Program>, ProcessError> {
        let mut room = [0; PROGRAM + LONGEST_NAME];
        let Some((words, name)) = self.next(operation::PROGRAMS, from, &mut room, PROGRAM)? else {
            return Ok(None);
        };
        let [next, instances, free, _] = words;
        Ok(Some(Program {
            instances,
            free,
            next: next as u16,
            name,
        }))
    }

    /// The words before the name in an answer, and the name; nothing at the end of the list.
    fn next(
        &self,
        operation: u32,
        from: u16,
        room: &mut [u8],
        before: usize,
    ) -> Result<Option<([u32; 4], Name)>, ProcessError> {
        let length = match self.call(operation, from.into(), 0, &[], room, Deadline::None) {
            Err(ProcessError::Other(status::OVER)) => return Ok(None),
            length => length?,
        };
        let answer = room.get(..length).unwrap_or_default();
        let Some((words, name)) = answer.split_at_checked(before) else {
            return Err(ProcessError::Other(Status::OK));
        };
        let mut all = [0; 4];
        for (to, from) in all.iter_mut().zip(words.as_chunks().0) {
            *to = u32::from_le_bytes(*from);
        }
        // Each is behind the one before: else whoever asks on would come to no end.
        let [next, ..] = all;
        if next <= from.into() || next > u16::MAX.into() {
            return Err(ProcessError::Other(Status::OK));
        }
        Ok(Some((all, Name::new(name))))
    }
}
