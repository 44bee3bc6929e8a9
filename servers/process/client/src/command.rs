//! What a program is given at its start, and how it asks for it.

use core::str;

use riposte::{Deadline, Status};

use crate::protocol::{BEFORE_BLOCK, BLOCK, REQUEST, operation};
use crate::{Pid, ProcessError, Processes, lay_out};

/// A program to spawn: its name, arguments and environment.
#[derive(Clone, Debug)]
pub struct Command {
    block: Block,
    has_environment: bool,
    detached: bool,
}

/// Texts, each with a zero behind it: arguments first, the program's name the first of them.
#[derive(Clone, Debug)]
struct Block {
    bytes: [u8; BLOCK],
    length: usize,
    arguments: usize,
    /// Something had no room, or is no text of a block.
    is_bad: bool,
}

impl Block {
    fn push(&mut self, parts: &[&str]) {
        for part in parts {
            self.is_bad |= part.contains('\0');
            self.push_bytes(part.as_bytes());
        }
        self.push_bytes(&[0]);
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        match self.bytes.get_mut(self.length..end) {
            Some(room) => {
                room.copy_from_slice(bytes);
                self.length = end;
            }
            None => self.is_bad = true,
        }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        let texts = bytes.split(|byte| *byte == 0);
        // Behind the last zero there is nothing.
        let count = bytes.iter().filter(|byte| **byte == 0).count();
        texts
            .take(count)
            .map(|text| str::from_utf8(text).unwrap_or_default())
    }
}

impl Command {
    /// The program of this name, without arguments.
    #[must_use]
    pub fn new(program: &str) -> Command {
        let mut block = Block {
            bytes: [0; BLOCK],
            length: 0,
            arguments: 1,
            is_bad: false,
        };
        block.push(&[program]);
        Command {
            block,
            has_environment: false,
            detached: false,
        }
    }

    /// With one more argument. Arguments come before all of the environment.
    ///
    /// # Panics
    /// If there is some environment already.
    #[must_use]
    pub fn argument(mut self, argument: &str) -> Command {
        assert!(
            !self.has_environment,
            "arguments come before the environment"
        );
        self.block.push(&[argument]);
        self.block.arguments += 1;
        self
    }

    /// With one more name in its environment; the first of several of one name counts.
    #[must_use]
    pub fn environment(mut self, name: &str, value: &str) -> Command {
        self.has_environment = true;
        self.block.is_bad |= name.is_empty() || name.contains('=');
        self.block.push(&[name, "=", value]);
        self
    }

    /// It is nobody's child: nobody waits for it, and its place is free when it ends.
    #[must_use]
    pub fn detached(mut self) -> Command {
        self.detached = true;
        self
    }
}

impl Processes {
    /// Starts a program as a child of this process. Waits only for the process manager; the program begins at its own
    /// priority.
    ///
    /// # Errors
    /// [`ProcessError::NoSuchProgram`], [`ProcessError::NotAllowed`], [`ProcessError::NoInstance`],
    /// [`ProcessError::TooManyChildren`], [`ProcessError::TooLong`]; [`ProcessError::Kernel`] if the process manager
    /// can't be asked.
    pub fn spawn(&self, command: &Command) -> Result<Pid, ProcessError> {
        let block = &command.block;
        if block.is_bad {
            return Err(ProcessError::TooLong);
        }
        let flag = if command.detached {
            operation::DETACHED
        } else {
            0
        };
        let bytes = block.bytes.get(..block.length).unwrap_or_default();
        let mut answer = [0; 4];
        let word = operation::SPAWN | flag;
        match self.call(word, block.arguments, 0, bytes, &mut answer, Deadline::None)? {
            4 => Ok(Pid(u32::from_le_bytes(answer))),
            _ => Err(ProcessError::Other(Status::OK)),
        }
    }
}

/// What this process was given when it was spawned.
#[derive(Clone, Debug)]
pub struct Arguments {
    pid: Pid,
    block: Block,
}

impl Arguments {
    /// Asks the process manager. Waits only for it.
    ///
    /// # Errors
    /// [`ProcessError::NoProgram`] if this process was not spawned, or the process manager has begun anew since; [`ProcessError::Connect`]; [`ProcessError::Kernel`]
    /// if the process manager can't be asked.
    pub fn ask() -> Result<Arguments, ProcessError> {
        let processes = Processes::connect()?;
        let mut answer = [0; BEFORE_BLOCK + BLOCK];
        let mut request = [0; REQUEST];
        let request = lay_out(&mut request, [operation::ARGUMENTS, 0], &[])?;
        let reply = processes.connection.send(request, &mut answer);
        let reply = reply.map_err(ProcessError::from_kernel)?;
        if reply.status != Status::OK || reply.len < BEFORE_BLOCK {
            return Err(ProcessError::from_status(reply.status));
        }
        let [a, b, c, d, e, f, g, h, bytes @ ..] = answer;
        Ok(Arguments {
            pid: Pid(u32::from_le_bytes([a, b, c, d])),
            block: Block {
                bytes,
                length: reply.len.saturating_sub(BEFORE_BLOCK),
                arguments: u32::from_le_bytes([e, f, g, h]) as usize,
                is_bad: false,
            },
        })
    }

    /// What this process is called as a child.
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// The arguments; the first is the program's name.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.block.texts().take(self.block.arguments)
    }

    /// The argument at a position; 0 is the program's name.
    #[must_use]
    pub fn get(&self, position: usize) -> Option<&str> {
        self.iter().nth(position)
    }

    /// The value of a name in the environment.
    #[must_use]
    pub fn environment(&self, name: &str) -> Option<&str> {
        let mut entries = self.block.texts().skip(self.block.arguments);
        entries.find_map(|entry| {
            let (own, value) = entry.split_once('=')?;
            (own == name).then_some(value)
        })
    }
}
