//! Tasks, as others name them.

use riposte::{ConnectError, Connection};

/// A task that messages can be sent to.
#[derive(Debug)]
pub struct Pid(pub(crate) Connection);

/// The task behind the manifest's connection `name`. Never blocks.
///
/// # Errors
/// [`ConnectError`] if the manifest gives this task no such connection.
pub fn REXIS_TaskPid(name: &'static str) -> Result<Pid, ConnectError> {
    riposte::connect(name).map(Pid)
}
