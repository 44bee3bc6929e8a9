//! Restart and stop of other processes.

use riposte_abi::call::number;
use riposte_abi::process_info::kind;

use crate::names::{ManifestError, find};
use crate::trap;

/// A process that this one controls: it is among the `controls` of this one in the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Among those that this one controls.
    position: u32,
}

/// The process of this name, which this one controls. Never blocks.
///
/// # Errors
/// [`ManifestError`] if the manifest does not let this process control it.
pub fn process(name: &'static str) -> Result<Process, ManifestError> {
    let position = find(kind::CONTROLLED, name)?;
    Ok(Process { position })
}

impl Process {
    /// Restarts it, and those that the manifest restarts with it, whatever state it is in: alive, stopped, at its
    /// limit, or held for a debugger. Those that wait for it find it dead. It counts as none of its restarts,
    /// which are counted from zero again; and it begins without delay. Never blocks.
    pub fn restart(self) {
        self.control(number::PROCESS_RESTART);
    }

    /// Stops it, whatever state it is in: those that wait for it find it dead, and nothing restarts it but
    /// [`Process::restart`], or the restart of a process with which the manifest restarts it. Never blocks.
    pub fn stop(self) {
        self.control(number::PROCESS_STOP);
    }

    fn control(self, number: u32) {
        trap::about(number, self.position, 0);
    }
}
