//! What the proxy stands before: a board in an emulator, or a core of one.

use super::Event;
use crate::plan::Region;
use crate::rsp::OK;

/// The memory of the machine, by its own addresses.
pub trait Memory {
    /// What lies there.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&mut self, region: Region) -> miette::Result<Vec<u8>>;

    /// A word.
    ///
    /// # Errors
    /// If it cannot be read.
    fn word(&mut self, base: u32) -> miette::Result<u32> {
        let bytes = self.read(Region { base, size: 4 })?;
        let bytes = bytes.try_into().map_err(|_| unreadable(base))?;
        Ok(u32::from_le_bytes(bytes))
    }
}

/// That memory cannot be read.
pub fn unreadable(base: u32) -> miette::Report {
    miette::miette!("the board's memory at {base:#010x} cannot be read")
}

/// A board that stands still, unless it is let go on.
pub trait Target: Memory {
    /// Why it stands still for good, if it does.
    fn rests(&self) -> Option<&'static str>;

    /// What it answers to a request of the protocol that concerns its one processor: its registers, and where it is to
    /// stop.
    ///
    /// # Errors
    /// If it has ended.
    fn ask(&mut self, request: &[u8]) -> miette::Result<Vec<u8>>;

    /// As [`Target::ask`], whether it has done it.
    ///
    /// # Errors
    /// If it has ended, or has not.
    fn order(&mut self, request: &str) -> miette::Result<()> {
        if self.ask(request.as_bytes())? == OK {
            return Ok(());
        }
        Err(miette::miette!("the board refuses `{request}`"))
    }

    /// Changes memory.
    ///
    /// # Errors
    /// If it cannot be changed.
    fn write(&mut self, base: u32, bytes: &[u8]) -> miette::Result<()>;

    /// Lets it go on, or do one step, until it stops: what it says of that, and whether the debugger has asked for it;
    /// nothing is said if the debugger has gone. `None` if the board has ended. It is asked of no board that rests.
    ///
    /// # Errors
    /// If it has ended before.
    fn resume(&mut self, verb: &[u8]) -> miette::Result<Option<(Vec<u8>, bool)>>;

    /// What the debugger said next. It blocks until there is something.
    ///
    /// # Errors
    /// If there is nobody any more who could say anything.
    fn request(&mut self) -> miette::Result<Event>;

    /// Forgets all that a debugger has said who has gone. The board stands still, and says nothing itself.
    fn forget(&mut self);
}
