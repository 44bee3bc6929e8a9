//! Programs: processes that do not start with the system, but when somebody who controls them says so, and of whose
//! every end their manager is told. They are the last of the tables, so that no process says whether it is one.

use crate::{Channel, Kernel, Process, limits::PROGRAMS};

/// Which processes are programs, and who manages them.
#[derive(Clone, Copy)]
pub struct Programs {
    /// Where each end of one is told, however it came, in place of the supervisor's channel.
    pub manager: &'static Channel,
    /// Index of the first; all after it are programs, too, but for the idle process.
    pub first: u8,
}

/// What there is once where there are programs, and not at all elsewhere.
pub type IfPrograms<T> = [T; PROGRAMS as usize];

impl Kernel {
    /// Where each end of `process` is told, if it is a program.
    pub(crate) fn manager_of(&self, process: &Process) -> Option<&'static Channel> {
        let programs = self.tables.programs.first()?.as_ref()?;
        (process.index >= programs.first).then_some(programs.manager)
    }

    pub(crate) fn is_program(&self, process: &Process) -> bool {
        self.manager_of(process).is_some()
    }
}
