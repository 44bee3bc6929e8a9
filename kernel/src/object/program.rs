//! Programs: processes that do not start with the system, but when somebody who controls them says so, and of whose
//! every end their manager is told. They are the last of the tables, so that no process says whether it is one.

use crate::{Channel, Kernel, Process, limits::PROGRAMS};

impl Kernel {
    /// Where each end of `process` is told, however it came, if it is a program.
    pub(crate) fn manager_of(&self, process: &Process) -> Option<&'static Channel> {
        let manager = self.tables.manager.filter(|_| PROGRAMS)?;
        (process.index >= self.tables.first_program).then_some(manager)
    }

    pub(crate) fn is_program(&self, process: &Process) -> bool {
        self.manager_of(process).is_some()
    }
}
